// Package peers measures the queue beside other queues on SQLite: the same
// machine, driver (modernc.org/sqlite), file system, pragmas (WAL,
// synchronous=FULL), number of workers and bodies, in the same run.
//
// It is a module of its own, so that the peers are no dependency of binnacle:
//
//	cd testdata/peers && go test -bench . -benchtime 5000x
//
// What is counted is one directive from claim to end, each of both durable.
// goqite is driven by 16 workers that receive and delete, as ours by 16 that
// claim and finish. backlite and River bring their own workers; their figure is
// the time from start until every job has been worked, their claims in
// batches, as they are made.
package peers
