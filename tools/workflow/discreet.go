package workflow

// Admits tells whether guards about who a caller is let this one through. Others depend on the instance, and do not
// matter here.
func Admits(c Caller, guards []*Guard) bool {
	for _, g := range guards {
		switch g.Kind {
		case GuardPermission:
			if !c.Permissions.Has(g.Name) {
				return false
			}
		case GuardRole:
			if !c.Roles.Has(g.Name) {
				return false
			}
		case GuardAllOf:
			if !Admits(c, g.Guards) {
				return false
			}
		}
	}
	return true
}

// Reveals tells whether a caller may know that there is a transition.
func (d *Definition) Reveals(c Caller, t *Transition) bool { return !d.Discreet || Admits(c, t.Guards) }

// offerTo is what offer finds, for a caller who may know of it.
func (d *Definition) offerTo(c Caller, s *State, name string) *Transition {
	t := d.offer(s, name)
	if t == nil || !d.Reveals(c, t) {
		return nil
	}
	return t
}
