package server

// What there is to scrape beside the go_ and process_ series of the library.
var (
	buildInfo = family{"prax_build_info", kindGauge, "Always 1; the labels say what runs."}
	startTime = family{"prax_start_time_seconds", kindGauge, "When the server was started, in Unix time."}
	uptime    = family{"prax_uptime_seconds", kindGauge, "How long it has run."}
	sourceUp  = family{"prax_source_up", kindGauge, "Whether this scrape could ask a source; when 0, its series are missing."}

	requestsTotal     = family{"prax_requests_total", kindCounter, "Requests of known clients that have ended."}
	responsesTotal    = family{"prax_http_responses_total", kindCounter, "Answers to anybody, by route and class of the status."}
	authFailuresTotal = family{"prax_auth_failures_total", kindCounter, "Callers refused before their message was read."}
	requestsInFlight  = family{"prax_requests_in_flight", kindGauge, "HTTP requests being served now, open streams included."}
	streamsOpen       = family{"prax_streams_open", kindGauge, "Event streams open now."}

	toolCallsTotal  = family{"prax_tool_calls_total", kindCounter, "Calls of tools that have ended; names that are no tool's count as unknown."}
	toolCallSeconds = family{"prax_tool_call_seconds", kindHistogram, "How long calls of tools took, denied ones left out."}
	callsRunning    = family{"prax_tool_calls_running", kindGauge, "Handlers of tools that run now."}
	callsLeft       = family{"prax_tool_calls_left_behind", kindGauge, "Those of them that run on after their callers were answered at the deadline."}

	startsTotal     = family{"prax_workflow_starts_total", kindCounter, "Workflows started, by the status that the start led to."}
	movesTotal      = family{"prax_workflow_moves_total", kindCounter, "Changes of workflows, by the status that they led to."}
	refusalsTotal   = family{"prax_workflow_refusals_total", kindCounter, "Refusals of praxec.query and praxec.command, by code."}
	attempts        = family{"prax_attempts", kindGauge, "Attempts that are not settled, by status; counted up to 10000."}
	approvalsOpen   = family{"prax_approvals_open", kindGauge, "Approvals that wait for a person; counted up to 10000."}
	approvalsOldest = family{"prax_approvals_oldest_seconds", kindGauge, "How long the oldest of them has waited; 0 when none does."}

	registryGeneration = family{"prax_registry_generation", kindGauge, "Generation of clients.json in force."}
	registryClients    = family{"prax_registry_clients", kindGauge, "Clients admitted now."}
	registryExpiring   = family{"prax_registry_clients_expiring", kindGauge, "Clients admitted now that will be out within 7 days."}
	registryFileOK     = family{"prax_registry_file_ok", kindGauge, "Whether clients.json reads."}
	registryLoaded     = family{"prax_registry_loaded_timestamp_seconds", kindGauge, "When a clients.json last came into force, in Unix time; 0 when none did."}
	reloadsTotal       = family{"prax_registry_reloads_total", kindCounter, "Readings of clients.json that changed something or failed anew."}
	definitionsFileOK  = family{"prax_definitions_file_ok", kindGauge, "Whether the file of definitions can be used; missing when there is none."}

	certificateExpires = family{"prax_certificate_expires_timestamp_seconds", kindGauge, "When the certificate in force ends, in Unix time; missing without TLS."}
	certificateFilesOK = family{"prax_certificate_files_ok", kindGauge, "Whether its files can be used; when 0, an older pair is in force."}

	commitSeconds           = family{"prax_store_commit_seconds", kindHistogram, "How long commits took to reach the disk."}
	commitFunctions         = family{"prax_store_commit_size", kindHistogram, "How many changes shared a commit."}
	failedTransactionsTotal = family{"prax_store_failed_transactions_total", kindCounter, "Transactions that died, as on a full disk; none of their changes is kept."}
	queueLength             = family{"prax_store_queue_length", kindGauge, "Changes that wait for the writer."}
	busyTotal               = family{"prax_store_busy_total", kindCounter, "Changes refused because too many waited."}
	databaseBytes           = family{"prax_store_database_bytes", kindGauge, "Size of the database."}
	walBytes                = family{"prax_store_wal_bytes", kindGauge, "Size of the log beside the database."}
	writable                = family{"prax_store_writable", kindGauge, "Whether the store takes a write; looked at every 10 seconds at most."}
)
