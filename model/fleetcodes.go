package model

// The codes of the fleet's refusals and verdicts. The first group is what a
// command fails with; the second is why a machine's summary shows no sessions.
const (
	CodeNotFetched   Code = "REMOTE_NOT_FETCHED"  // no recorded fetch of the configured remote's live refs
	CodeNoRemote     Code = "NO_REMOTE"           // the repository names no remote
	CodeOffline      Code = "REMOTE_UNREACHABLE"  // the remote did not answer, or asked for a password
	CodeConflict     Code = "MACHINE_ID_CONFLICT" // another machine publishes under this machine's name
	CodeRefRefused   Code = "LIVE_REF_REFUSED"    // the host does not take such refs
	CodeRefsFull     Code = "LIVE_REFS_FULL"      // the host holds as many live refs as are read
	CodeCursorLost   Code = "CURSOR_LOST"         // the cursor's commit is no ancestor any more
	CodeLogRewritten Code = "LOG_REWRITTEN"       // an executor's log is no longer a continuation of what was seen
	CodeKeysChanged  Code = "REGISTRY_CHANGED"    // the key registry vanished from trunk, or trunk was rewound; key accept ends it
	CodeUntrusted    Code = "NOTIFY_UNTRUSTED"    // what the repository brings, its notify command or Git settings, was not trusted

	CodeOversized   Code = "OVERSIZED"           // larger than a summary may be
	CodeMalformed   Code = "MALFORMED"           // the commit, its tree or its JSON has another shape
	CodeQuarantined Code = "QUARANTINED"         // fetching this commit failed by itself
	CodeReplayed    Code = "REPLAYED"            // an older summary than one that was verified before
	CodeUnsigned    Code = "UNSIGNED"            // the registry wants a signature and there is none
	CodeWrongKey    Code = "WRONG_KEY"           // signed, but not by the key of the agent it names
	CodeBadSig      Code = "BAD_SIGNATURE"       // the signature does not fit the commit
	CodeOtherRepo   Code = "OTHER_REPO"          // the summary is about another repository
	CodeRegistry    Code = "REGISTRY_UNREADABLE" // the key registry at the trunk's tip can't be read
)
