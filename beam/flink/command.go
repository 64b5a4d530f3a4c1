package flink

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// Command returns the command that starts and ends clusters of this machine.
func Command(stdout io.Writer) *cobra.Command {
	c := &cobra.Command{Use: "cluster", Short: "Start or end a Flink of this machine, to try it out"}
	folder := ""
	c.PersistentFlags().StringVar(&folder, "dir", "", "folder of the cluster's files (default: one in the user's cache)")
	c.AddCommand(up(stdout, &folder), down(stdout, &folder))
	return c
}

// settle returns the folder of a cluster.
func settle(folder string) (string, error) {
	if folder != "" {
		return filepath.Abs(folder)
	}
	dir, err := cache()
	return filepath.Join(dir, "cluster"), err
}

func up(stdout io.Writer, folder *string) *cobra.Command {
	p := Plan{}
	c := &cobra.Command{
		Use:   "up",
		Short: "Start a job server, and task managers if asked for",
		Long: `Start a job server of Beam for Flink on this machine. Without --task-managers it runs jobs in
itself; with them it hands them over to a JobManager and that many TaskManagers. The jars are
fetched by Maven the first time.`,
		Args: cobra.NoArgs,
	}
	c.Flags().IntVar(&p.TaskManagers, "task-managers", 0, "processes that work (default: the job server itself)")
	c.Flags().IntVar(&p.Slots, "slots", 2, "units that each of them works on at a time")
	c.Flags().IntVar(&p.Memory, "java-memory", 768, "MiB of each process of Java")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if p.TaskManagers < 0 || p.Slots < 1 || p.Memory < 256 {
			return fmt.Errorf("--task-managers must be at least 0, --slots at least 1, --java-memory at least 256")
		}
		if p.Folder, err = settle(*folder); err != nil {
			return err
		}
		one, err := Up(c.Context(), p, func(text string) { fmt.Fprintln(os.Stderr, "kerf-beam: "+text) })
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(stdout, "Flink takes jobs: --runner flink --endpoint %s\n", one.Endpoint)
		return err
	}
	return c
}

func down(stdout io.Writer, folder *string) *cobra.Command {
	return &cobra.Command{
		Use: "down", Short: "End the cluster that up has started", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := settle(*folder)
			if err != nil {
				return err
			}
			one, err := Load(dir)
			if err != nil {
				return err
			}
			if err := one.Down(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(stdout, "ended %d processes\n", len(one.Processes))
			return err
		},
	}
}
