package flink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Cluster is a Flink of this machine that runs.
type Cluster struct {
	Folder       string    // of its files
	Endpoint     string    // of the job server
	TaskManagers int       // 0 where the job server runs jobs in itself
	Processes    []Process // the job server last

	ended map[int]chan struct{} // closed when a process that this program started has ended
}

// Process is one of a cluster.
type Process struct {
	Name string
	PID  int
}

// Plan says what cluster to start.
type Plan struct {
	Folder       string // for its files, new or empty of a cluster
	TaskManagers int    // 0 for a job server that runs jobs in itself
	Slots        int    // of each, at least 1
	Memory       int    // MiB of each process of Java
}

// stateFile is where a cluster is kept in its folder.
const stateFile = "cluster.json"

// exports are what Flink takes of Java 17's own packages.
var exports = []string{
	"--add-exports=java.base/sun.net.util=ALL-UNNAMED", "--add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED",
	"--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
}

// opens are packages of java.base that Flink and Beam look into.
var opens = []string{"java.lang", "java.net", "java.io", "java.nio", "sun.nio.ch", "java.lang.reflect", "java.text",
	"java.time", "java.util", "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks"}

// Up starts a cluster, and waits until it takes jobs.
func Up(ctx context.Context, p Plan, say func(text string)) (*Cluster, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return nil, errors.New("there is no java; install Java 17")
	}
	if _, err := Load(p.Folder); err == nil {
		return nil, fmt.Errorf("there is a cluster in %s already; kerf-beam cluster down ends it", p.Folder)
	}
	lib, err := Jars(ctx, say)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.Folder, 0o755); err != nil {
		return nil, err
	}
	c := &Cluster{Folder: p.Folder, TaskManagers: p.TaskManagers, ended: map[int]chan struct{}{}}
	if err := c.start(ctx, p, lib); err != nil {
		return nil, errors.Join(err, c.Down())
	}
	return c, c.save()
}

// start starts the processes of a plan.
func (c *Cluster) start(ctx context.Context, p Plan, lib string) (err error) {
	master := "[local]"
	if p.TaskManagers > 0 {
		ports, err := freePorts(2)
		if err != nil {
			return err
		}
		master = fmt.Sprintf("localhost:%d", ports[0])
		conf := filepath.Join(p.Folder, "conf")
		if err := writeConfig(conf, p, ports[0], ports[1]); err != nil {
			return err
		}
		if err := c.java(p, lib, "jobmanager", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
			"--configDir", conf, "--executionMode", "cluster"); err != nil {
			return err
		}
		for i := range p.TaskManagers {
			if err := c.java(p, lib, fmt.Sprintf("taskmanager-%d", i+1),
				"org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "--configDir", conf); err != nil {
				return err
			}
		}
		if err := c.await(ctx, master); err != nil {
			return err
		}
	}
	if p.TaskManagers > 0 {
		if lib, err = unstaged(p.Folder, lib); err != nil {
			return err
		}
	}
	ports, err := freePorts(2)
	if err != nil {
		return err
	}
	c.Endpoint = fmt.Sprintf("localhost:%d", ports[0])
	if err := c.java(p, lib, "jobserver", "org.apache.beam.runners.flink.FlinkJobServerDriver", "--job-host=localhost",
		fmt.Sprintf("--job-port=%d", ports[0]), fmt.Sprintf("--artifact-port=%d", ports[1]), "--expansion-port=-1",
		"--artifacts-dir="+filepath.Join(p.Folder, "artifacts"), "--flink-master="+master); err != nil {
		return err
	}
	return c.await(ctx, c.Endpoint)
}

// java starts a class as a process of its own, which outlives this one.
func (c *Cluster) java(p Plan, lib, name, class string, args ...string) error {
	out, err := os.Create(filepath.Join(p.Folder, name+".log"))
	if err != nil {
		return err
	}
	defer out.Close()
	// Rows go past Java: what it would gain by more compiling is less than that costs.
	line := append([]string{fmt.Sprintf("-Xmx%dm", p.Memory), "-Dkerf.cluster=" + p.Folder, "-XX:+UseSerialGC",
		"-XX:TieredStopAtLevel=1"}, exports...)
	for _, pkg := range opens {
		line = append(line, "--add-opens=java.base/"+pkg+"=ALL-UNNAMED")
	}
	cmd := exec.Command("java", append(append(line, "-cp", filepath.Join(lib, "*"), class), args...)...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = out, out, p.Folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // an interrupt of this program is none of its own
	if err := cmd.Start(); err != nil {
		return err
	}
	pid, ended := cmd.Process.Pid, make(chan struct{})
	c.Processes = append(c.Processes, Process{name, pid})
	c.ended[pid] = ended
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	return nil
}

// await waits until something listens at an address.
func (c *Cluster) await(ctx context.Context, address string) error {
	for began := time.Now(); time.Since(began) < 3*time.Minute; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			return conn.Close()
		}
		for _, p := range c.Processes {
			if !c.alive(p) {
				return fmt.Errorf("the %s did not start: %s", p.Name, c.lastWords(p.Name))
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return fmt.Errorf("nothing listens at %s after three minutes; see the logs in %s", address, c.Folder)
}

// lastWords returns the last line that a process wrote, as the log goes with its folder.
func (c *Cluster) lastWords(name string) string {
	text, err := os.ReadFile(filepath.Join(c.Folder, name+".log"))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return "it ended and said nothing"
}

// alive reports whether a process of the cluster runs. One that this program started has
// ended when it was waited for; that of another program is known by its command line,
// which is empty for a moment after the start.
func (c *Cluster) alive(p Process) bool {
	if ended, ours := c.ended[p.PID]; ours {
		select {
		case <-ended:
			return false
		default:
			return true
		}
	}
	if runtime.GOOS == "linux" {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		return err == nil && strings.Contains(string(line), "-Dkerf.cluster="+c.Folder+"\x00")
	}
	one, err := os.FindProcess(p.PID)
	return err == nil && one.Signal(syscall.Signal(0)) == nil
}

// Down ends the cluster and removes its folder.
func (c *Cluster) Down() error {
	for i := len(c.Processes) - 1; i >= 0; i-- {
		if p := c.Processes[i]; c.alive(p) {
			_ = syscall.Kill(p.PID, syscall.SIGTERM)
		}
	}
	for began := time.Now(); time.Since(began) < 10*time.Second && c.running(); {
		time.Sleep(100 * time.Millisecond)
	}
	for _, p := range c.Processes {
		if c.alive(p) {
			_ = syscall.Kill(p.PID, syscall.SIGKILL)
		}
	}
	return os.RemoveAll(c.Folder)
}

func (c *Cluster) running() bool {
	for _, p := range c.Processes {
		if c.alive(p) {
			return true
		}
	}
	return false
}

// save keeps what the cluster is in its folder.
func (c *Cluster) save() error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.Folder, stateFile), append(b, '\n'), 0o644)
}

// Load returns the cluster of a folder.
func Load(folder string) (*Cluster, error) {
	b, err := os.ReadFile(filepath.Join(folder, stateFile))
	if err != nil {
		return nil, fmt.Errorf("there is no cluster in %s; kerf-beam cluster up starts one", folder)
	}
	c := &Cluster{}
	if err := json.Unmarshal(b, c); err != nil || c.Folder != folder {
		return nil, fmt.Errorf("%s does not say what the cluster is; end its processes, and remove the folder",
			filepath.Join(folder, stateFile))
	}
	return c, nil
}

// freePorts returns ports of this machine that nobody listens at.
func freePorts(n int) ([]int, error) {
	var out []int
	for range n {
		l, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		out = append(out, l.Addr().(*net.TCPAddr).Port)
	}
	return out, nil
}

// writeConfig writes the configuration of Flink. Without its scripts every part of the
// memory of a TaskManager must be said. Jobs begin again after a failure, where a slot is
// free for them.
func writeConfig(conf string, p Plan, rest, rpc int) error {
	if err := os.MkdirAll(conf, 0o755); err != nil {
		return err
	}
	lines := []string{
		"jobmanager.rpc.address: localhost", "jobmanager.rpc.port: " + strconv.Itoa(rpc), "rest.address: localhost",
		"rest.bind-address: localhost", "rest.port: " + strconv.Itoa(rest), "jobmanager.memory.process.size: 1024m",
		"taskmanager.host: localhost", "taskmanager.numberOfTaskSlots: " + strconv.Itoa(p.Slots),
		fmt.Sprintf("taskmanager.cpu.cores: %d.0", p.Slots), "taskmanager.memory.task.heap.size: 384m",
		"taskmanager.memory.task.off-heap.size: 0m", "taskmanager.memory.framework.heap.size: 128m",
		"taskmanager.memory.framework.off-heap.size: 128m", "taskmanager.memory.network.min: 64m",
		"taskmanager.memory.network.max: 64m", "taskmanager.memory.managed.size: 64m",
		"taskmanager.memory.jvm-metaspace.size: 256m", "taskmanager.memory.jvm-overhead.min: 192m",
		"taskmanager.memory.jvm-overhead.max: 192m", "classloader.resolve-order: parent-first",
		"restart-strategy.type: fixed-delay", "restart-strategy.fixed-delay.attempts: 10",
		"restart-strategy.fixed-delay.delay: 1s", "heartbeat.interval: 2000", "heartbeat.timeout: 10000",
		"io.tmp.dirs: " + filepath.Join(p.Folder, "tmp"), "slot.request.timeout: 120000",
	}
	if err := os.MkdirAll(filepath.Join(p.Folder, "tmp"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(conf, "flink-conf.yaml"), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}
