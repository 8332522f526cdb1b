package store

import "context"

// schemaV2 takes schema 1 to schema 2. Statements run in order, on databases
// with data in them as well as on ones that were just made.
var schemaV2 = []string{}

func createV2(ctx context.Context, c *conn, _ Options) error {
	for _, text := range schemaV2 {
		if err := c.run(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
