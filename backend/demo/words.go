package demo

// What the simulated agents talk about.

func builders() []string {
	return []string{"builder-1", "builder-2", "reviewer", "migrator", "docs-writer"}
}

func probes() []string { return []string{"probe", "ci-3"} }

func logLines() []string {
	return []string{
		"compiled ok", "running 381 tests", "3 files formatted", "fixed the flaky upload test",
		"reading the release notes", "opened a change for the parser", "rebased onto trunk",
		"cache warmed in 4.1 s", "linter is clean", "wrote the migration guide — 第一章",
		"retrying the artifact upload", "profiling the hot loop", "vendor folder is up to date",
	}
}

func logTopics() []string {
	return []string{"build/log", "test/log", "review/log", "deploy/log"}
}

func alarms() []struct{ topic, summary string } {
	return []struct{ topic, summary string }{
		{"build/alert", "disk almost full on ci-3"},
		{"test/alert", "upload test failed 3 times in a row"},
		{"deploy/alert", "canary error rate above 2 %"},
		{"review/alert", "a change waits for a human decision"},
		{"host/alert", "load above 8 for five minutes"},
	}
}

func chores() []struct{ lane, body string } {
	return []struct{ lane, body string }{
		{"release", "verify the release candidate\n\nRun the smoke tests on both platforms and attach the logs."},
		{"default", "fix the flaky upload test"},
		{"default", "split the parser into reader and printer"},
		{"docs", "write the release notes for 0.9"},
		{"release", "cut the branch and tag it"},
		{"default", "find out why startup takes 300 ms"},
		{"docs", "describe the new configuration keys"},
		{"default", "bump the SQLite driver and run the benchmarks"},
		{"review", "review the change to the retry policy"},
		{"default", "remove the deprecated flags"},
		{"review", "answer the questions on the schema change"},
		{"release", "ship the smallest verified fix"},
	}
}

// lesson is what an agent learns about a file.
type lesson struct{ path, title, body string }

func lessons() []lesson {
	return []lesson{
		{"parser/reader.go", "the reader owns its buffer", "Copy what outlives next()."},
		{"parser/printer.go", "columns count cells, not bytes", "第一章 takes six of them."},
		{"docs/guide.md", "chapter 3 is generated", "Change its template, and run make guide."},
		{"queue/retry.go", "a retry keeps its claim", "It lets go once the last try has failed."},
		{"build/cache.go", "the cache goes by content", "Names may move; what a file holds decides."},
		{"README.md", "the tour is run by a test", ""},
	}
}

func folders() []string { return []string{"parser/", "docs/", "queue/", "build/"} }
