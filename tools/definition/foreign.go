package definition

// foreign is a key that praxec knows and prax does not read.
type foreign struct {
	ignored bool   // it changes nothing that anybody could rely on
	why     string // and what to do instead
}

const noExecutor = "needs an executor that this version does not have yet"

// The keys, by where they stand.
var (
	foreignRoot = map[string]foreign{
		"stagedConnections": {why: noExecutor},
		"grant_connections": {why: noExecutor},
		"overrides":         {why: "is about packs, which are not loaded: include their files"},
		"schemas":           {why: "is not served: write each schema where it is used"},
		"registries":        {ignored: true, why: "there is no catalogue of remote tools"},
		"embeddings":        {ignored: true, why: "search goes by words"},
	}
	foreignGateway = map[string]foreign{
		"principal":            {why: "is not served: who calls, with which roles and permissions, is in clients.json"},
		"trust_meta_principal": {ignored: true, why: "who calls is known by the token alone"},
		"allow_ephemeral":      {ignored: true, why: "everything is kept in the store of the server"},
		"cost":                 {ignored: true, why: "no model is called"},
		"models_yaml":          {ignored: true, why: "no model is called"},
	}
	foreignPraxec = map[string]foreign{
		"execution":      {why: noExecutor},
		"agents":         {ignored: true, why: "no model is called"},
		"embeddings":     {ignored: true, why: "search goes by words"},
		"repair_surface": {ignored: true, why: "a broken configuration leaves the last good one in force"},
	}
	foreignAuthoring = map[string]foreign{
		"write_enabled":             {ignored: true, why: "callers never write definitions"},
		"lexicon_dir":               {ignored: true, why: "what callers define is kept in the store of the server"},
		"preferred_script_language": {ignored: true, why: "callers never write scripts"},
	}
	foreignProxy = map[string]foreign{
		"import": {why: noExecutor},
	}
	foreignWorkflow = map[string]foreign{
		"a2a":          {why: "is not served by this version"},
		"snippet":      {why: "is not served: a workflow cannot be the executor of another one yet; its input is inputSchema"},
		"orchestrator": {ignored: true, why: "it only decorates"},
		"verb":         {ignored: true, why: "it only decorates"},
		"stack":        {ignored: true, why: "it only decorates"},
		"amplifier":    {ignored: true, why: "no model is called"},
		"enable_halt":  {ignored: true, why: `a run is ended by praxec.command with intent "cancel"`},
	}
	foreignTimeout = map[string]foreign{
		"executor": {why: "is not served: let the state that it leads to have an onEnter"},
		"output":   {why: "is not served: let the state that it leads to have an onEnter"},
	}
	foreignState = map[string]foreign{
		"tools":               {ignored: true, why: "no model is called"},
		"affinity":            {ignored: true, why: "no model is called"},
		"reasoning_effort":    {ignored: true, why: "no model is called"},
		"requires_file_write": {ignored: true, why: "no model is called"},
		"role":                {ignored: true, why: "no model is called: who may take a transition is decided by its actor and its guards"},
	}
	foreignTransition = map[string]foreign{
		"evidence":  {why: "is enforced by nobody: write a guard of kind evidence"},
		"hop_slot":  {why: "is not served: write the executor out"},
		"purpose":   {ignored: true, why: "it only decorates"},
		"work_kind": {ignored: true, why: "it only decorates"},
	}
	// foreignExecutor is about those that have no effect.
	foreignExecutor = map[string]foreign{
		"idempotencyKey": {ignored: true, why: "such an executor has no effect that could happen twice"},
	}
	foreignDiscovery = map[string]foreign{
		"index":    {ignored: true, why: "there is one index"},
		"registry": {ignored: true, why: "there is no catalogue of remote tools"},
	}
)

// own is an object without the keys that prax does not read, each of which is told. An empty one says nothing, and
// is no matter.
func (r *reader) own(v *value, path string, table map[string]foreign) *value {
	if v.kind != '{' {
		return v
	}
	rest := *v
	rest.members = make([]member, 0, len(v.members))
	for _, m := range v.members {
		f, known := table[m.name]
		switch at := below(path, m.name); {
		case !known:
			rest.members = append(rest.members, m)
		case m.isEmpty():
		case f.ignored:
			r.problem(Ignored, true, m.place, at, r.shown(at)+" is ignored: "+f.why)
		default:
			r.note(NotServed, m.place, at, r.shown(at)+" "+f.why)
		}
	}
	return &rest
}

// isEmpty tells whether a value says nothing.
func (v *value) isEmpty() bool {
	return v.kind == 'n' || (v.kind == '{' || v.kind == '[') && len(v.members)+len(v.items) == 0
}

// unstored is an object without the keys that only the stored form of a definition has, each of which is told.
func (r *reader) unstored(v *value, path string, keys []string) *value {
	for _, key := range keys {
		if v.find(key) != nil {
			r.about(UnknownKey, below(path, key), "is not known: it is not for files to say")
			v = v.without(key)
		}
	}
	return v
}
