// Every fault that the reliability review injected, and what tries it again: a campaign of this folder (random, seeded)
// or tests of the suite (the same each time). docs/reliability.md is made of it.
export interface Row {
  fault: string
  /** Names of campaigns, as they are given to `campaign()`. */
  campaigns?: string[]
  tests?: string[]
}

export const ROWS: Row[] = [
  {
    fault: 'kill -9 or Ctrl-C during `ao spawn`, with and without its git; tmux, process, acp',
    campaigns: ['interrupted spawn, tmux', 'interrupted spawn, process', 'interrupted spawn, acp'],
    tests: ['test/flow/crash-recovery.test.ts', 'test/flow/acp-crash.test.ts'],
  },
  {
    fault: 'the same during kill, purge, restore and cleanup, 150 files; tmux (small), process, acp',
    campaigns: ['interrupted work, small', 'interrupted work, process', 'interrupted work, acp'],
    tests: ['test/flow/crash-recovery.test.ts'],
  },
  {
    fault: 'the same in a worktree of 2,500 files',
    campaigns: ['interrupted work, worktree'],
    tests: ['test/flow/interrupted-git.test.ts'],
  },
  {
    fault: 'the same in a clone of 2,500 files',
    campaigns: ['interrupted work, clone'],
    tests: ['test/flow/interrupted-git.test.ts'],
  },
  {
    fault: 'git and node die inside `git worktree remove`; a worktree loses its `.git` or its registration',
    tests: ['test/flow/interrupted-git.test.ts', 'test/flow/lost-worktree.test.ts'],
  },
  {
    fault: 'a restore is interrupted during its checkout and repeated at once',
    tests: ['test/flow/interrupted-git.test.ts'],
  },
  {
    fault: 'kill -9 of `ao start` while CI fails, a reviewer asks for changes and approval merges',
    campaigns: ['killed loop'],
    tests: ['test/lifecycle/simulation.test.ts', 'test/flow/loop-reactions.test.ts'],
  },
  {
    fault:
      'kill -9 of the train at any moment, beside pushes to the base branch and new pull requests, some of them bad',
    campaigns: ['killed train'],
    tests: ['test/landing/train.test.ts', 'test/landing/train-simulation.test.ts'],
  },
  {
    fault:
      'the same during `ao send`: a message arrives whole and once, or not at all, and is not called delivered then',
    campaigns: ['interrupted send'],
    tests: ['test/contract/runtime-tmux.test.ts'],
  },
  {
    fault: 'simulated worlds: projects with the real loop and trains, which die between any two writes',
    campaigns: ['simulated worlds'],
    tests: ['test/lifecycle/simulation.test.ts', 'test/landing/train-simulation.test.ts'],
  },
  {
    fault: 'kill -9 of the tmux server under sessions with uncommitted work',
    campaigns: ['killed tmux server'],
    tests: ['test/flow/many-sessions.test.ts'],
  },
  {
    fault: 'children that escape at `session kill` (setsid, nohup, double fork, ignored signals, cleared environment)',
    tests: ['src/lib/process/process-tree.test.ts', 'test/agh/only-own-processes.test.ts'],
  },
  {
    fault: 'commands of every kind at once, beside the loop',
    campaigns: ['parallel commands'],
    tests: ['test/flow/many-sessions.test.ts'],
  },
  {
    fault: 'one session restored by several processes, killed while it is restored, cleaned up while others spawn',
    campaigns: ['races for one session'],
    tests: ['test/manager/list-kill-restore.test.ts'],
  },
  {
    fault: 'a session is restored while cleanup works through its list',
    tests: ['test/manager/list-kill-restore.test.ts'],
  },
  {
    fault: '`ao start` five times at once, also after kill -9',
    campaigns: ['races for the loop'],
    tests: ['test/flow/origin.test.ts'],
  },
  {
    fault: 'the configuration is edited, torn, removed or replaced by something else while the loop runs',
    campaigns: ['edited configuration'],
    tests: ['test/flow/loop.test.ts', 'test/flow/odd-files.test.ts'],
  },
  { fault: 'the clock jumps forwards and backwards under a running loop', campaigns: ['jumping clock'] },
  {
    fault: 'a disk that fills up at any point of any command',
    campaigns: ['full disk'],
    tests: ['test/flow/full-disk.test.ts', 'test/agh/faults-disk.test.ts'],
  },
  {
    fault: 'read-only home; no HOME, a relative one, one that is a file; no git',
    campaigns: ['odd places'],
    tests: ['test/flow/full-disk.test.ts', 'test/flow/consent-start.test.ts', 'test/flow/cli-basics.test.ts'],
  },
  {
    fault: 'spaces, quotes, `$()`, `#{}`, newlines and other characters in HOME and in the path of the repository',
    campaigns: ['odd places'],
  },
  {
    fault: 'a record or a history that cannot be read',
    campaigns: ['damaged files'],
    tests: ['test/flow/odd-files.test.ts', 'test/store/session-store.test.ts'],
  },
  {
    fault: 'no file descriptors left, for the loop; few of them, for commands',
    campaigns: ['few descriptors'],
    tests: ['test/flow/no-descriptors.test.ts'],
  },
  {
    fault:
      'a forge elsewhere is cut off from its train: no answers, late ones, answers lost after the act, refusals, git gone, beside pushes of people',
    campaigns: ['partitioned train'],
    tests: ['test/landing/hosted-train.test.ts'],
  },
  {
    fault: 'a repository that was moved; data of another configuration',
    tests: ['test/flow/moved-repository.test.ts', 'test/flow/origin.test.ts'],
  },
  {
    fault: 'any file of ao truncated, scrambled, huge, a link, a pipe, a device, a directory or gone',
    campaigns: ['damaged files'],
    tests: ['test/flow/odd-files.test.ts', 'test/agh/faults-files.test.ts', 'test/store/history.test.ts'],
  },
  {
    fault: 'every kind of uncommitted work through purge and restore',
    tests: ['test/contract/workspace-dirty-states.test.ts', 'test/contract/workspace-rescue.test.ts'],
  },
  {
    fault: 'control sequences, shell and record syntax in every text that comes from outside, to every command',
    campaigns: ['hostile text'],
    tests: ['test/terminal-output.test.ts', 'test/flow/consent-start.test.ts'],
  },
  { fault: 'the same texts on the pages of the dashboard, in Chromium', tests: ['test/e2e/every-page.test.ts'] },
  {
    fault: 'routes, hosts, origins, methods, paths, bodies and WebSockets without a valid key',
    campaigns: ['hostile requests'],
    tests: ['test/dashboard/access.test.ts', 'test/dashboard/hostile.test.ts'],
  },
  { fault: 'forged and repeated webhooks', tests: ['test/http/webhooks.test.ts'] },
  {
    fault: 'slow and idle connections, up to 2,000',
    campaigns: ['hostile requests'],
    tests: ['src/http/limit-connections.test.ts'],
  },
  { fault: 'readers of a stream that never read, a history of 40 MB', tests: ['test/flow/long-history.test.ts'] },
  {
    fault: 'another user of the machine; a data directory that others can write',
    tests: ['test/dashboard/hostile.test.ts', 'test/flow/consent-start.test.ts'],
  },
  {
    fault: 'a repository whose configuration wants to run, listen, send or read',
    tests: [
      'test/config/consent-list.test.ts',
      'test/config/hostile-repository.test.ts',
      'test/manager/consent-entries.test.ts',
      'test/flow/consent-start.test.ts',
    ],
  },
  {
    fault: 'a repository with hooks, filters and settings of git and of agents',
    tests: ['test/contract/workspace-worktree.test.ts', 'test/manager/consent-entries.test.ts'],
  },
  {
    fault: 'an agent against ao and its siblings',
    tests: [
      'test/flow/edited-record.test.ts',
      'test/flow/inside-roles.test.ts',
      'test/flow/agent-environment.test.ts',
      'test/flow/local-forge.test.ts',
    ],
  },
  { fault: 'a long run with many sessions, pull requests and open pages', campaigns: ['long run'] },
  {
    fault: 'kill -9 of the agh daemon in the middle of turns: no turn is cut, nothing is lost or doubled',
    campaigns: ['killed agh daemon'],
    tests: ['test/agh/faults-kill.test.ts', 'test/agh/adopt.test.ts', 'src/host/interleavings.test.ts'],
  },
  {
    fault: 'kill -9 of the agh daemon and of the host of its agent in the middle of turns',
    campaigns: ['killed agh daemon and host'],
    tests: ['test/agh/faults-kill.test.ts', 'test/agh/faults-writes.test.ts'],
  },
  {
    fault:
      '10,000 sessions on 500 machines, simulated with the decisions of real lines and hosts: machines lost and rebooted, networks cut, slow lines, full disks, clocks apart, hosts and lines killed',
    campaigns: ['failing machines'],
    tests: ['test/rehearsal/place-simulation.test.ts'],
  },
  {
    fault:
      'the core of a place fails one of its rules on purpose: an end before its work, an old save taken for the last one, a silent place taken for gone, no save after a turn',
    tests: ['test/rehearsal/place-simulation.test.ts'],
  },
]
