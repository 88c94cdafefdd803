package clients

import "time"

// assemble reads a file (nil: there is none) and the single-token client into a snapshot. A failure
// means that the file cannot be used at all; then there is no snapshot.
func assemble(cfg *Config, catalogue Catalogue, now time.Time, src *source) (*snapshot, Report, *failure) {
	report := Report{Path: cfg.Path}
	if src == nil {
		src = &source{text: []byte(`{"clients":[]}`)}
	}
	report.Digest = src.digest
	r := newReader(cfg, catalogue, now, *src, &report)
	if cfg.IgnoreExpiry {
		r.problem(nil, -1, ExpiryIgnored, "no expires_at is enforced (MCP_TOKEN_EXPIRY_ENABLED is false)")
	}
	if f := r.file(); f != nil {
		return nil, failed(cfg, catalogue, now, *src, f), f
	}
	r.single()
	s := r.build.seal(r.shared)
	r.count(s)
	s.digest, s.opens = src.digest, s.firstStart(r.now)
	report.OK = true
	report.sort()
	return s, report, nil
}

// single adds the client of the settings.
func (r *reader) single() {
	s := r.cfg.Single
	if s == nil || s.Token == "" {
		return
	}
	r.where = "MCP_BEARER_TOKEN"
	e := &entry{index: -1, at: -1, names: []span{r.build.intern(SingleName)}, members: hasName | hasToken | hasUser}
	e.row.flags |= single
	before := len(r.report.Problems)
	r.plainToken(e, -1, s.Token)
	r.singleUser(e, s.UserID)
	if s.Allowlist != "" {
		e.members |= hasAllow
		r.allowed(e, -1, r.allowText(s.Allowlist))
	}
	if s.ExpiresAt != "" {
		r.expires(e, -1, s.ExpiresAt, true)
	}
	r.settle(e)
	r.label(before, e)
	if !r.build.add(e) {
		r.refused++
	}
}

func (r *reader) singleUser(e *entry, user string) {
	e.row.user = r.build.intern(user)
	if user == "" {
		r.refuse(e, -1, NoUser, "MCP_USER_ID is not set: a client acts as a user")
		return
	}
	if bad := judgeName(user); bad != "" {
		r.refuse(e, -1, BadUser, "MCP_USER_ID %s", bad)
	}
}

// shared reports a row that has its name or token in common with another, or shows another's token: all
// of them are out, because which one was meant is in doubt.
func (r *reader) shared(w *row, from origin) {
	e := &entry{index: int(from.entry)}
	if w.flags.has(showsToken) {
		r.problem(e, int(from.at), BadName, "the name or user_id is the token of a client, and both stand in logs")
	} else {
		e.names = []span{w.name}
	}
	r.where = r.source.path
	if w.flags.has(single) {
		r.where = "MCP_BEARER_TOKEN"
	}
	if w.flags.has(sharesName) {
		r.problem(e, int(from.at), DuplicateName, "another client has the same name: all of them are out")
	}
	if w.flags.has(sharesToken) {
		r.problem(e, int(from.at), DuplicateToken, "another client has the same token: all of them are out")
	}
}

// count fills in how many clients are in and out.
func (r *reader) count(s *snapshot) {
	r.report.Refused = r.refused
	for _, rows := range clientsOf(s.rows) {
		switch s.state(rows, r.now) {
		case Refused:
			r.report.Refused++
		case Disabled:
			r.report.Disabled++
		case Expired:
			r.report.Expired++
		case Waiting:
			r.report.Waiting++
		case Live:
			r.report.Clients++
		}
	}
}

// failed is the report of a file that cannot be used. Its first problem is why; what is wrong with the
// single-token client follows.
func failed(cfg *Config, catalogue Catalogue, now time.Time, src source, f *failure) Report {
	// No digest: text that is no registry may be anything, a token alone included.
	report := Report{Path: cfg.Path}
	p := Problem{Code: f.code, File: cfg.Path, Entry: -1, Text: f.text}
	if f.offset >= 0 {
		lines := places{text: src.text}
		p.Line, p.Column = lines.at(f.offset)
	}
	report.note(p)
	_, others, _ := assemble(cfg, catalogue, now, nil)
	for _, p := range others.Problems {
		report.note(p)
	}
	report.Clients, report.Refused, report.Expired = others.Clients, others.Refused, others.Expired
	return report
}

// Check reads the file as a reload would, and the single-token client with it, and says what is wrong.
// Nothing comes into force. Without a path only the single-token client is judged.
func Check(cfg Config, catalogue Catalogue, now time.Time) Report {
	_, report := examine(&cfg, catalogue, now)
	return report
}

// examine reads the file, if one is configured, and assembles; without a snapshot when it does not read.
func examine(cfg *Config, catalogue Catalogue, now time.Time) (*snapshot, Report) {
	var src *source
	if cfg.Path != "" {
		read, f := readSource(cfg.Path)
		if f != nil {
			return nil, failed(cfg, catalogue, now, read, f)
		}
		src = &read
	}
	s, report, _ := assemble(cfg, catalogue, now, src)
	return s, report
}
