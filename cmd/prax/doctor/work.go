package doctor

import (
	"context"
	"errors"
	"slices"

	"prax/auth"
	"prax/server/control"
	"prax/store"
)

// mostRead bounds the open workflows that are looked at.
const mostRead = 20_000

// store is what stands in the database: the newest event, and the work that waits for a person, because a client is out,
// or because nobody knows what became of it.
func (x *examination) store(ctx context.Context) {
	db, err := x.Open()
	if err != nil {
		if !x.told(NoData, DataUnusable, NotYours, InterruptedRestore) {
			x.found(Error, StoreClosed, x.Data, "docs/operate.md says what to do about each cause", "the database cannot be read: %v", err)
		}
		return
	}
	defer func() { _ = db.Close() }()
	x.looked("work")
	err = db.View(ctx, func(tx store.Tx) error {
		everybody := control.Principal(x.UID).Scope()
		return errors.Join(x.newest(tx), x.doubtful(tx, everybody), x.waiting(tx, everybody), x.parked(tx, everybody), x.untold(tx))
	})
	if err != nil {
		x.found(Error, StoreUnreadable, x.Data, "prax audit verify", "the database cannot be read: %v", err)
	}
}

// doubtful are attempts whose effect may have happened.
func (x *examination) doubtful(tx store.Tx, s auth.Scope) error {
	list, err := tx.ListAttempts(s, store.AttemptFilter{Status: store.AttemptUnknown, Limit: store.MaxPage})
	if n := len(list); n > 0 {
		x.found(Error, InDoubt, "", "prax operations list, then prax operations reconcile ID", "%s in doubt: what they were to do outside may have happened, or not", upTo(isAre(n, "operation"), n))
	}
	return err
}

// waiting are approvals that a person has to answer.
func (x *examination) waiting(tx store.Tx, s auth.Scope) error {
	list, err := tx.OpenApprovals(s, "", x.Now, store.MaxPage)
	if n := len(list); n > 0 {
		x.found(Warning, Approvals, "", "prax approvals list", "%s waiting for a person, the oldest since %s", upTo(isAre(n, "approval"), n), stamp(list[0].Created))
	}
	return err
}

// untold are notices to the operator that did not get there so far.
func (x *examination) untold(tx store.Tx) error {
	n, since, err := tx.FailedNotices()
	if n > 0 {
		x.found(Warning, Untold, "", "the log of the server says why; prax check judges PRAX_NOTIFY", "%s that nobody could be told of, the oldest since %s", count(int(n), "notice"), stamp(since))
	}
	return err
}

// parked are open workflows whose client is out: the server does nothing more for it.
func (x *examination) parked(tx store.Tx, s auth.Scope) error {
	if x.told(ClientsUnusable) {
		return nil // every client is out, and that is said
	}
	var names []string
	n, filter := 0, store.InstanceFilter{Status: store.Open, Limit: store.MaxPage}
	for read := 0; read < mostRead; {
		page, err := tx.ListInstances(s, filter)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		for _, i := range page {
			filter.Before = i.Number
			if _, operator := control.Named(i.Client); operator || !x.out(i.Client) {
				continue
			}
			if n++; !slices.Contains(names, i.Client) {
				names = append(names, i.Client)
			}
		}
		read += len(page)
	}
	if n > 0 {
		x.found(Warning, Parked, "", "prax workflow list --status open; prax workflow cancel ID ends one",
			"%s of clients that are out (%s): the server does nothing more for them by itself (CLIENT_REVOKED), a person has to take them on", isAre(n, "open workflow"), some(names))
	}
	return nil
}

// upTo marks a number that may be larger than one page.
func upTo(text string, n int) string {
	if n < store.MaxPage {
		return text
	}
	return "at least " + text
}
