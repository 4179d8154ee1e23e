// A Slurm cluster of the test's own: munge, a controller and three nodes on this machine, with private paths and ports.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface TestCluster {
  /** For SLURM_CONF. */
  conf: string
  /** Output of one of Slurm's commands. */
  run(program: string, ...args: string[]): string
  /** Lines of squeue: id, state, name. */
  jobs(): string[]
  /** Power off: nothing of this node is running, until `reviveNode`. */
  loseNode(name: string): void
  reviveNode(name: string): void
  /** Nothing of Slurm answers, on any node; what runs in jobs goes on. */
  cut(): void
  mend(): void
  stop(): Promise<void>
}

const NODES = ['n1', 'n2', 'n3']

/** null: the machine allows it. Otherwise why not. */
export function whyNoSlurm(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux'
  for (const program of ['slurmctld', 'slurmd', 'munged', 'sbatch', 'srun']) {
    if (spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]).status !== 0) {
      return `${program} is not installed`
    }
  }
  return null
}

/** `nodeTimeoutS`: after it a node that does not answer has failed. */
export async function startCluster({ nodeTimeoutS = 10 } = {}): Promise<TestCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'aot-slurm-'))
  const at = (name: string) => join(directory, name)
  for (const name of ['state', ...NODES]) mkdirSync(at(name))
  writeFileSync(at('munge.key'), randomBytes(64), { mode: 0o400 })
  const ports = await freePorts(NODES.length + 1)
  writeFileSync(at('slurm.conf'), configuration(directory, ports, nodeTimeoutS))
  const env = { ...process.env, SLURM_CONF: at('slurm.conf') }
  const children = new Map<string, ChildProcess>()
  const start = (name: string, command: string[]) => {
    const log = openSync(at(`${name}.log`), 'a')
    children.set(name, spawn(command[0]!, command.slice(1), { env, stdio: ['ignore', log, log], detached: true }))
  }
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { env, encoding: 'utf8' })
  const startNode = (name: string) => start(name, ['/usr/sbin/slurmd', '-D', '-N', name])
  const paths = [
    'key-file=munge.key',
    'socket=munge.sock',
    'pid-file=munge.pid',
    'log-file=munged.log',
    'seed-file=seed',
  ]
  start('munged', [
    '/usr/sbin/munged',
    '--foreground',
    '--force',
    ...paths.map((one) => `--${one.replace('=', `=${directory}/`)}`),
  ])
  start('slurmctld', ['/usr/sbin/slurmctld', '-D', '-c'])
  for (const name of NODES) startNode(name)
  const isDaemon = (line: string) => /^(?:\/usr\/sbin\/slurm(?:ctl)?d|slurmstepd)/.test(line)
  const signalDaemons = (signal: NodeJS.Signals) =>
    signalProcesses(signal, (line, variables) => isDaemon(line) && variables.includes(`SLURM_CONF=${at('slurm.conf')}`))
  const stop = async () => {
    signalDaemons('SIGCONT')
    spawnSync('scancel', ['--user=root', '--quiet'], { env, timeout: 5_000 })
    await pause(200)
    for (const child of [...children.values()].reverse()) end(child)
    signalProcesses(
      'SIGKILL',
      (line, variables) => line.startsWith('slurmstepd') && variables.includes(`SLURM_CONF=${at('slurm.conf')}`),
    )
    await pause(100)
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await untilIdle(env, at('slurmctld.log'))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    conf: at('slurm.conf'),
    run,
    jobs: () => run('squeue', '--noheader', '--format=%A %T %j').split('\n').filter(Boolean),
    loseNode(name) {
      const there = run('squeue', '--noheader', `--nodelist=${name}`, '--format=%A').split('\n').filter(Boolean)
      end(children.get(name)!)
      signalProcesses(
        'SIGKILL',
        (line, variables) =>
          variables.includes(`SLURM_CONF=${at('slurm.conf')}`) &&
          (variables.includes(`SLURMD_NODENAME=${name}`) || there.some((id) => line.startsWith(`slurmstepd: [${id}.`))),
      )
    },
    reviveNode: startNode,
    cut: () => signalDaemons('SIGSTOP'),
    mend: () => signalDaemons('SIGCONT'),
    stop,
  }
}

function configuration(directory: string, [controller, ...ports]: number[], nodeTimeoutS: number): string {
  const nodes = NODES.map(
    (name, at) =>
      `NodeName=${name} NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=${ports[at]} CPUs=8 RealMemory=8000`,
  )
  return `ClusterName=aotest
SlurmctldHost=${hostname()}(127.0.0.1)
SlurmctldPort=${controller}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket=${directory}/munge.sock
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
StateSaveLocation=${directory}/state
SlurmdSpoolDir=${directory}/%n
SlurmctldPidFile=${directory}/slurmctld.pid
SlurmdPidFile=${directory}/%n.pid
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
SlurmdTimeout=${nodeTimeoutS}
KillWait=5
${nodes.join('\n')}
PartitionName=dev Nodes=n1,n2,n3 Default=YES MaxTime=1-00:00:00 State=UP PriorityTier=1
PartitionName=urgent Nodes=n1 MaxTime=1-00:00:00 State=UP PriorityTier=10 PreemptMode=OFF
PartitionName=closed Nodes=n3 MaxTime=1-00:00:00 State=DOWN
`
}

async function untilIdle(env: NodeJS.ProcessEnv, log: string): Promise<void> {
  for (let tries = 0; tries < 150; tries++) {
    const { stdout } = spawnSync('sinfo', ['--noheader', '--partition=dev', '--format=%D %T'], {
      env,
      encoding: 'utf8',
      timeout: 5_000,
    })
    if (stdout?.trim() === `${NODES.length} idle`) return
    await pause(100)
  }
  throw new Error(`Slurm did not start:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
}

function signalProcesses(signal: NodeJS.Signals, isWanted: (line: string, variables: string[]) => boolean): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      if (isWanted(line, variables)) process.kill(Number(pid), signal)
    } catch {
      // It ended meanwhile.
    }
  }
}

function end(child: ChildProcess): void {
  try {
    if (child.exitCode === null) process.kill(child.pid!, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer()
      return new Promise<typeof server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
    }),
  )
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  for (const server of servers) server.close()
  return ports
}
