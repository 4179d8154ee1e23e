// Every fault that is injected on purpose, and what tries it: a campaign of this folder (random, seeded) or tests of the suite (the
// same each time). docs/reliability.md is made of it.
export interface Row {
  fault: string
  /** As it is given to `campaign()`. */
  campaign?: string
  /** One of the kinds that it tries; absent: all of them. */
  kind?: string
  /** For what no campaign tries. */
  tests?: string[]
}

export interface CampaignOf {
  /** torture/<file>.torture.ts */
  file: string
  /** What its tries are, and how many of them have a fault in common. */
  tries: string
  /** What it starts, modules or all of a folder: when a statement changes in what these load, what was proved expires. */
  starts: string[]
}

const below = (folder: string, names: string) => names.split(' ').map((name) => `src/${folder}/${name}`)
const plugins = (names: string) => below('plugins', names).map((folder) => `${folder}/index.ts`)

const AO = below('cli/ao', 'commands.ts open-ao.ts lists/session-list.ts')
const KILL = [...below('cli/ao', 'session/kill.ts'), 'src/manager/remove/kill.ts']
const RESTORE = [...below('cli/ao', 'session/restore.ts'), 'src/manager/launch/restore.ts']
const CLEANUP = [...below('cli/ao', 'session/cleanup.ts'), ...below('manager/remove', 'cleanup.ts leftovers.ts')]
const SPAWN = [...below('cli/ao', 'spawn/spawn.ts'), 'src/manager/launch/spawn.ts', 'src/manager/task/settle-tasks.ts']
const SEND = [...below('cli/ao', 'spawn/send.ts'), 'src/manager/send.ts', 'src/manager/deliver.ts']
const MOVE = [...below('cli/ao', 'session/move.ts'), 'src/manager/place/pause.ts']
/** What `ao doctor --fix` repairs between the tries, and names as left behind after them. */
const DOCTOR = below('cli/ao/doctor', 'check-leftovers.ts check-data.ts')
const COMMANDS = [
  ...AO,
  ...DOCTOR,
  ...SPAWN,
  ...SEND,
  ...KILL,
  ...RESTORE,
  ...CLEANUP,
  ...plugins('workspace-worktree'),
]
const GENERIC = plugins('agent-generic')
const TMUX = plugins('runtime-tmux')
const PROCESS = [...plugins('runtime-process'), 'src/host/program.ts', 'src/host/io/terminal.ts']
const AGH = [...below('agh', 'acp daemon session store'), 'src/cli/agh/commands.ts', 'src/host/program.ts']
const DEMO = [...plugins('agent-demo'), 'src/plugins/agent-demo/program']
const LOCAL = plugins('tracker-local scm-local')
const LOOP = [
  ...AO,
  'src/lifecycle',
  'src/cli/ao/start/join.ts',
  ...SPAWN,
  ...SEND,
  ...KILL,
  ...plugins('workspace-worktree'),
]
const PULLS = [...below('cli/ao/pr', 'ls.ts review.ts merge.ts'), ...LOCAL, 'src/forge']
const TRAIN = ['src/landing/train', 'src/landing/merge.ts', 'src/forge', ...LOCAL]

export const CAMPAIGNS: Record<string, CampaignOf> = {
  'interrupted commands, tmux': {
    file: 'interrupt',
    tries: 'commands',
    starts: [...COMMANDS, ...MOVE, ...GENERIC, ...TMUX],
  },
  'interrupted commands, process': {
    file: 'interrupt',
    tries: 'commands',
    starts: [...COMMANDS, ...MOVE, ...GENERIC, ...PROCESS],
  },
  'interrupted commands, acp': {
    file: 'interrupt',
    tries: 'commands',
    starts: [...COMMANDS, ...MOVE, ...GENERIC, ...plugins('runtime-acp'), ...AGH],
  },
  'interrupted commands, large worktrees': {
    file: 'interrupt',
    tries: 'commands',
    starts: [...COMMANDS, ...MOVE, ...GENERIC, ...TMUX],
  },
  'interrupted commands, large clones': {
    file: 'interrupt',
    tries: 'commands',
    starts: [...COMMANDS, ...MOVE, ...GENERIC, ...TMUX, ...plugins('workspace-clone')],
  },
  'killed loop': { file: 'loop', tries: 'kills', starts: [...LOOP, ...PULLS, ...DEMO, ...TMUX] },
  'killed stacks': { file: 'stacks', tries: 'kills', starts: [...LOOP, ...PULLS, ...DEMO, ...PROCESS] },
  'killed groups': { file: 'groups', tries: 'kills', starts: [...LOOP, ...PULLS, ...TRAIN, ...DEMO, ...PROCESS] },
  'killed schedules': {
    file: 'schedules',
    tries: 'kills',
    starts: [...LOOP, ...DEMO, ...PROCESS, ...below('manager/launch', 'scheduled.ts triggered.ts')],
  },
  'real shapes': {
    file: 'shapes',
    tries: 'landings, 14 in each world',
    starts: [...LOOP, ...PULLS, ...TRAIN, ...DEMO, ...PROCESS],
  },
  'races for the loop': {
    file: 'loop',
    tries: 'races',
    starts: [...AO, 'src/lifecycle/loop', 'src/cli/ao/start'],
  },
  'edited configuration': {
    file: 'loop',
    tries: 'edits',
    starts: [...AO, 'src/config', 'src/lifecycle/loop', 'src/cli/ao/start'],
  },
  'killed train': { file: 'train', tries: 'kills', starts: TRAIN },
  'colliding agents': { file: 'collide', tries: 'landings, 20 in each world', starts: TRAIN },
  'killed claims': {
    file: 'claim',
    tries: 'kills',
    starts: [...AO, 'src/cli/ao/landing/claim.ts', 'src/landing/resolve'],
  },
  'partitioned train': {
    file: 'partition',
    tries: 'rides, 14 in each world',
    starts: ['torture/partition.torture.ts'],
  },
  'simulated worlds': {
    file: 'simulation',
    tries: 'worlds',
    starts: ['torture/simulation.torture.ts'],
  },
  'killed tmux server': {
    file: 'sessions',
    tries: 'sessions, 8 at each kill',
    starts: [...AO, ...SPAWN, ...RESTORE, ...GENERIC, ...TMUX],
  },
  'parallel commands': {
    file: 'sessions',
    tries: 'commands',
    starts: [...LOOP, ...COMMANDS, ...LOCAL, ...DEMO, ...TMUX, ...PROCESS, 'src/cli/ao/doctor/doctor.ts'],
  },
  'races for one session': {
    file: 'sessions',
    tries: 'races',
    starts: [...COMMANDS, ...GENERIC, ...TMUX],
  },
  'jumping clock': {
    file: 'clock',
    tries: 'sessions, 8 at each jump',
    starts: [...LOOP, ...DEMO, ...TMUX],
  },
  'full disk': {
    file: 'disk',
    tries: 'commands',
    starts: [...COMMANDS, ...GENERIC, ...TMUX],
  },
  'power loss, one session': {
    file: 'power-loss',
    tries: 'states',
    starts: [...COMMANDS, ...GENERIC, ...PROCESS, 'src/inside'],
  },
  'power loss, one pull request': {
    file: 'power-loss',
    tries: 'states',
    starts: [...COMMANDS, ...PULLS, ...TRAIN, ...GENERIC, ...PROCESS],
  },
  'power loss, one ride of the train': {
    file: 'power-loss',
    tries: 'states',
    starts: [...AO, ...PULLS, ...TRAIN, 'src/gh/pr/pr-create.ts', 'src/cli/ao/landing/land-change.ts'],
  },
  'power loss, one session of agh': { file: 'power-loss', tries: 'states', starts: AGH },
  'power loss, the installation of agh': {
    file: 'power-loss',
    tries: 'states',
    starts: [...AGH, 'src/cli/agh/install.ts'],
  },
  'n-th failure, ao': {
    file: 'nth-failure',
    tries: 'commands',
    starts: [
      ...COMMANDS,
      ...MOVE,
      ...PULLS,
      ...TRAIN,
      ...GENERIC,
      ...PROCESS,
      ...below('cli/ao', 'history/export.ts history/import.ts session/rewind.ts landing/land-change.ts'),
      'src/gh/pr/pr-create.ts',
      'src/manager/transfer',
      'src/manager/remove/rewind.ts',
      'src/config',
      'src/inside',
    ],
  },
  'n-th failure, agh': { file: 'nth-failure', tries: 'commands', starts: [...AGH, 'src/cli/agh'] },
  'odd homes': {
    file: 'homes',
    tries: 'lives and commands',
    starts: [...COMMANDS, ...GENERIC, ...TMUX, ...below('cli/ao', 'start doctor/doctor.ts')],
  },
  'few descriptors': {
    file: 'descriptors',
    tries: 'commands',
    starts: [...COMMANDS, ...GENERIC, ...PROCESS, 'src/cli/ao/report/status.ts'],
  },
  'damaged files': {
    file: 'files',
    tries: 'commands',
    starts: [...COMMANDS, 'src/cli/ao/report', 'src/cli/ao/doctor', 'src/store', 'src/forge'],
  },
  'hostile text': {
    file: 'hostile',
    tries: 'texts and outputs',
    starts: [...AO, 'src/cli', 'src/core/text', 'src/forge', 'src/manager'],
  },
  'hostile requests': {
    file: 'hostile',
    tries: 'requests',
    starts: ['src/dashboard/server', 'src/http', 'src/core/access'],
  },
  'killed lines': {
    file: 'lines',
    tries: 'turns, 4 at each kill',
    starts: [
      ...AO,
      ...SPAWN,
      ...SEND,
      ...plugins('runtime-ssh'),
      'src/plugins/place',
      'src/plugins/place-lines.ts',
      'src/host/program.ts',
    ],
  },
  'failing machines': { file: 'machines', tries: 'faults', starts: ['torture/machines.torture.ts'] },
  'killed agh daemon': { file: 'kill-daemon', tries: 'turns, 4 at each kill', starts: AGH },
  'killed agh daemon and host': { file: 'kill-daemon', tries: 'turns, 4 at each kill', starts: AGH },
}

const KILLED = 'kill -9 at each of its steps or at any moment, with or without its git, or Ctrl-C'

export const ROWS: Row[] = [
  ...['tmux', 'process', 'acp'].flatMap((runtime) =>
    ['spawn', 'send', 'kill', 'restore', 'cleanup', 'move'].map((kind) => ({
      fault: kind === 'spawn' ? `${kind} on ${runtime}: ${KILLED}` : `${kind} on ${runtime}: the same`,
      campaign: `interrupted commands, ${runtime}`,
      kind,
    })),
  ),
  { fault: 'all of them in worktrees of 2,500 files', campaign: 'interrupted commands, large worktrees' },
  { fault: 'all of them in clones of 2,500 files', campaign: 'interrupted commands, large clones' },
  {
    fault: 'loop: kill -9 while CI fails, a reviewer asks for changes and approval merges',
    campaign: 'killed loop',
  },
  {
    fault: 'stacks: kill -9 at each step of a restack and a retarget or at any moment, with uncommitted work on top',
    campaign: 'killed stacks',
  },
  {
    fault:
      'groups: kill -9 at each step of a start, a link and a landing over three repositories, one with a train, or at any moment; some halted midway',
    campaign: 'killed groups',
  },
  {
    fault: 'schedules and triggers: kill -9 at each step of a start or at any moment',
    campaign: 'killed schedules',
  },
  {
    fault:
      'no fault: a chain of 5, a diamond of 6 and a group of 3 on the local forge, with and without a train, to the end',
    campaign: 'real shapes',
  },
  {
    fault: 'train: kill -9 at each of its steps or at any moment, beside pushes to the base branch, some changes bad',
    campaign: 'killed train',
  },
  {
    fault: 'train: agents that each add a migration, a dependency and a changelog line from the same commit',
    campaign: 'colliding agents',
  },
  {
    fault: '`ao claim`: kill -9 at each of its steps or at any moment, beside others who claim',
    campaign: 'killed claims',
  },
  {
    fault:
      'train on a forge elsewhere: no answers, late ones, answers lost after the act, refusals, git gone, beside pushes of people',
    campaign: 'partitioned train',
  },
  { fault: 'agh daemon: kill -9 in the middle of turns, none of which is cut', campaign: 'killed agh daemon' },
  { fault: 'agh daemon and host: kill -9 of both in the middle of turns', campaign: 'killed agh daemon and host' },
  { fault: 'places: kill -9 of the program that keeps the lines, in the middle of turns', campaign: 'killed lines' },
  {
    fault:
      'places, simulated with the decisions of real lines and hosts: machines lost and rebooted, networks cut, full disks, clocks apart, hosts and lines killed',
    campaign: 'failing machines',
  },
  {
    fault: 'loop and train, simulated: worlds that die between any two writes',
    campaign: 'simulated worlds',
  },
  { fault: 'tmux server: kill -9 under sessions with uncommitted work', campaign: 'killed tmux server' },
  {
    fault: 'races for one session: restored by several, killed while it is restored, cleaned up while others spawn',
    campaign: 'races for one session',
  },
  { fault: 'races for the loop: several `ao start` at once, also after kill -9', campaign: 'races for the loop' },
  { fault: 'commands of every kind at once, beside the loop', campaign: 'parallel commands' },
  { fault: 'full disk: it fills up at any point of any command', campaign: 'full disk' },
  {
    fault:
      'power loss at any moment of a session: unsynced data missing or torn, renames without data, names without their directory',
    campaign: 'power loss, one session',
  },
  { fault: 'the same of a pull request on its way to the base branch', campaign: 'power loss, one pull request' },
  { fault: 'the same of two changes on a ride of the train', campaign: 'power loss, one ride of the train' },
  { fault: 'the same of a session of agh', campaign: 'power loss, one session of agh' },
  { fault: 'the same of the installation of agh', campaign: 'power loss, the installation of agh' },
  {
    fault:
      'the n-th operation of a command of ao on a file, a process or a socket fails: EIO, ENOSPC, EMFILE, EACCES, EPIPE, a time-out, a short write',
    campaign: 'n-th failure, ao',
  },
  { fault: 'the same of a command of agh and its daemon', campaign: 'n-th failure, agh' },
  { fault: 'clocks: the wall clock jumps forwards and backwards under a running loop', campaign: 'jumping clock' },
  { fault: 'few file descriptors, for commands', campaign: 'few descriptors' },
  {
    fault: 'any file of ao truncated, scrambled, huge, a link, a pipe, a device, a directory or gone',
    campaign: 'damaged files',
  },
  {
    fault: 'the configuration is edited, torn, removed or replaced by something else while the loop runs',
    campaign: 'edited configuration',
  },
  {
    fault:
      'odd homes: spaces, quotes, `$()`, `#{}`, newlines in HOME and in the path of the repository; no HOME, a relative one, one that is a file; no git',
    campaign: 'odd homes',
  },
  {
    fault: 'control sequences, shell and record syntax in every text that comes from outside, to every command',
    campaign: 'hostile text',
  },
  {
    fault: 'requests and slow connections without a valid key, to every route, with odd hosts, origins and bodies',
    campaign: 'hostile requests',
  },
  {
    fault:
      'two versions on one home: sessions of one told, ended and restored by the other; the agh daemon replaced in the middle of a turn and of a question for permission; both ways',
    tests: ['test/flow/two-versions.test.ts', 'test/flow/upgrade-under-loop.test.ts', 'test/host/old-hosts.test.ts'],
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
    fault: 'children that escape at `session kill` (setsid, nohup, double fork, ignored signals, cleared environment)',
    tests: ['src/lib/process/process-tree.test.ts', 'test/agh/only-own-processes.test.ts'],
  },
  {
    fault: 'a session is restored while cleanup works through its list',
    tests: ['test/manager/list-kill-restore.test.ts'],
  },
  { fault: 'no file descriptors left, for the loop', tests: ['test/flow/no-descriptors.test.ts'] },
  {
    fault: 'a home that cannot be written',
    tests: ['test/flow/full-disk.test.ts', 'test/agh/faults-disk.test.ts'],
  },
  {
    fault: 'a repository that was moved; data of another configuration',
    tests: ['test/flow/moved-repository.test.ts', 'test/flow/origin.test.ts'],
  },
  {
    fault: 'every kind of uncommitted work through purge and restore',
    tests: ['test/contract/workspace-dirty-states.test.ts', 'test/contract/workspace-rescue.test.ts'],
  },
  { fault: 'hostile texts on the pages of the dashboard, in Chromium', tests: ['test/e2e/every-page.test.ts'] },
  { fault: 'forged and repeated webhooks', tests: ['test/http/webhooks.test.ts'] },
  { fault: 'readers of a stream that never read, a history of 40 MB', tests: ['test/flow/long-history.test.ts'] },
  {
    fault: 'another user of the machine; a data directory that others can write',
    tests: ['test/dashboard/hostile.test.ts', 'test/flow/consent-start.test.ts'],
  },
  {
    fault: 'a repository whose configuration wants to run, listen, send or read',
    tests: ['test/config/consent-list.test.ts', 'test/config/hostile-repository.test.ts'],
  },
  {
    fault: 'a repository with hooks, filters and settings of git and of agents',
    tests: ['test/contract/workspace-worktree.test.ts', 'test/manager/consent-entries.test.ts'],
  },
  {
    fault: 'an agent against ao and its siblings',
    tests: ['test/flow/edited-record.test.ts', 'test/flow/inside-roles.test.ts', 'test/flow/agent-environment.test.ts'],
  },
  {
    fault:
      'the core of a place fails one of its rules on purpose: an end before its work, an old save taken for the last one, a silent place taken for gone, no save after a turn',
    tests: ['test/rehearsal/place-simulation.test.ts'],
  },
]
