package edge

// Metered is how many clients asked lately, so that their rate is on record.
func (e *Edge) Metered() int {
	e.meter.mu.Lock()
	defer e.meter.mu.Unlock()
	return len(e.meter.buckets)
}
