package workflow

import "time"

// Expire applies the timeout when its time has come: the instance goes to the state that the definition names, or it
// is only noted that the time is over. It is idle when nothing is due; what was applied once is never applied again,
// whatever the clock does.
func (d *Definition) Expire(i *Instance, now time.Time) Decision {
	if !d.overdue(i, now) {
		return Decision{}
	}
	m := d.move(i, Caller{}, now)
	if m.ended() != nil {
		return Decision{}
	}
	if d.OnTimeout != "" {
		return m.late(nil)
	}
	m.next.Version++
	m.next.Parked = nil
	m.change.Steps = []Step{{Seq: m.next.Version, Kind: StepTimeout, From: i.State, To: i.State}}
	m.note()
	return m.done()
}

// overdue tells whether the timeout has to be applied. It waits for an executor that is at work.
func (d *Definition) overdue(i *Instance, now time.Time) bool {
	due := d.Due(i)
	return i.Busy == nil && !due.IsZero() && !now.Before(due)
}

// Due is when the timeout of an instance has to be applied; zero: never.
func (d *Definition) Due(i *Instance) time.Time {
	if d.Timeout <= 0 || i.Memo.Expired || !i.Open {
		return time.Time{}
	}
	return i.Created.Add(d.Timeout)
}

// note sets when a timer must look at the instance, and notes a timeout that leads nowhere.
func (m *move) note() {
	if m.d.OnTimeout == "" && m.d.overdue(&m.next, m.now) {
		m.timedOut("")
		m.next.Memo.Expired = true
	}
	m.next.Due = m.d.Due(&m.next)
}

// late makes the step to the state that a timeout leads to. An instance whose timeout cannot be applied is cancelled:
// it must not go on as if there were time. The results are those of its onEnter, when that ran already.
func (m *move) late(results []Result) Decision {
	began := *m
	if results == nil {
		m.timedOut(m.d.OnTimeout)
	}
	decision := m.run(Request{Kind: StepTimeout, Version: m.next.Version}, results)
	if decision.Refusal == nil {
		return decision
	}
	began.timedOut("")
	began.cancel("the timeout could not be applied: "+decision.Refusal.Message, string(decision.Refusal.Code), "")
	began.change.Failure = decision.Refusal
	return began.done()
}

// tooLate makes that step in place of what was asked for, and says so in the answer.
func (m *move) tooLate(transition string) Decision {
	return m.overtook(m.late(nil), transition)
}

// overtook tells who asked for something else that the timeout came first.
func (m *move) overtook(decision Decision, transition string) Decision {
	if c := decision.Change; c != nil && c.Failure == nil {
		c.Failure = refuse(TimedOut, "the time of the workflow was over in the state "+c.Steps[0].From).of(transition)
	}
	return decision
}

func (m *move) timedOut(to string) {
	payload := map[string]any{
		"elapsedMs": m.now.Sub(m.next.Created).Milliseconds(),
		"timeoutMs": m.d.Timeout.Milliseconds(),
		"fromState": m.next.State, "applied": to != "",
	}
	if to != "" {
		payload["toState"] = to
	}
	m.fact("workflow.timed_out", payload)
}
