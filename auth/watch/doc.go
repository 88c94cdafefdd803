// Package watch tells when a file changes: a Watcher calls back soon after a save, whatever way the
// editor, the deployment or the file system has of saving.
//
// Events of directories are only hints. They are asked for in the directory of the file and in that of
// every symbolic link on the way to it, so that a rename over the file and the swap of a link (as
// Kubernetes mounts do it) both count; a watch on the file itself would die with its inode. What
// decides is a look at the file: device, inode, size and both times. A slow poll takes the same look,
// so that a network mount without events, or a directory that did not exist, costs half a second and
// nothing else.
//
// [ReadRegular] reads such a file without waiting for whatever was put in its place.
package watch
