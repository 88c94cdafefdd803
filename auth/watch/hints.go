package watch

import (
	"log/slog"

	"github.com/fsnotify/fsnotify"
)

// hints are the events of the directories on the way to a file. The zero value gives none, which the
// poll makes up for.
type hints struct {
	events *fsnotify.Watcher
	dirs   map[string]place
	log    *slog.Logger
}

// openHints starts listening. Where that is not possible there are no hints, and the log says so.
func openHints(log *slog.Logger) *hints {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("no file events: changes are found by looking", slog.Any("error", err))
		return &hints{log: log}
	}
	return &hints{events: events, dirs: map[string]place{}, log: log}
}

// C delivers events, Errors lost ones; both are nil when there are none to come.
func (h *hints) C() <-chan fsnotify.Event {
	if h.events == nil {
		return nil
	}
	return h.events.Events
}

func (h *hints) Errors() <-chan error {
	if h.events == nil {
		return nil
	}
	return h.events.Errors
}

// follow listens to the directories that matter now, and to no other.
func (h *hints) follow(dirs map[string]place) {
	if h.events == nil {
		return
	}
	for dir, was := range h.dirs {
		if is, still := dirs[dir]; !still || is != was {
			_ = h.events.Remove(dir) // gone already when the directory is
			delete(h.dirs, dir)
		}
	}
	for dir, is := range dirs {
		if _, known := h.dirs[dir]; known {
			continue
		}
		if err := h.events.Add(dir); err != nil {
			h.log.Debug("no file events for a directory", slog.String("directory", dir), slog.Any("error", err))
			continue
		}
		h.dirs[dir] = is
	}
}

// close stops listening and waits until nothing more comes.
func (h *hints) close() {
	if h.events != nil {
		_ = h.events.Close()
	}
}
