// A machine to reach with ssh, made of namespaces: its own files above this machine's (only /tmp is shared), its own sshd on a
// port of 127.0.0.1, and with `pids: 'own'` its own processes. It can be cut off, and it can die.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface TestMachine {
  host: string
  configFile: string
  port: number
  /** A shell command there; its output. */
  run(command: string): string
  /** Everything that sshd runs there stops answering; nothing is closed. */
  cut(): void
  mend(): void
  /** kill -9 for what runs there with these words in its arguments. */
  killAll(pattern: string, signal?: NodeJS.Signals): void
  /** Power off. */
  die(): Promise<void>
  stop(): Promise<void>
}

/** null: the machine allows it. Otherwise why not. */
export function whyNoSsh(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux'
  for (const program of ['/usr/sbin/sshd', 'ssh', 'unshare', 'git']) {
    if (spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) return `${program} is not installed`
  }
  const tried = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'])
  return tried.status === 0 ? null : 'mounts are not allowed here'
}

const BOOT = `set -e
mount --make-rprivate /
mkdir "$1/fs"; mount -t tmpfs tmpfs "$1/fs"
mkdir "$1/fs/upper" "$1/fs/work" "$1/fs/root"
r=$1/fs/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/fs/upper,workdir=$1/fs/work" "$r"
mount --bind /tmp "$r/tmp"
mount --rbind /dev "$r/dev"
mount -t proc proc "$r/proc"
rm -rf "$r/root/.ao-place" "$r/root/.bashrc" "$r/root/.profile"
mkdir -p "$r/run/sshd" "$r/root"
[ -z "$2" ] || ln -sf "$2" "$r/usr/local/bin/node"
exec chroot "$r" /usr/sbin/sshd -D -e -f "$1/sshd_config"`

export interface MachineOptions {
  pids: 'own' | 'shared'
  /** It has a Node of its own, so that none is sent there. */
  hasNode?: boolean
}

export async function startMachine({ pids, hasNode = false }: MachineOptions): Promise<TestMachine> {
  const directory = mkdtempSync(join(tmpdir(), 'aot-machine-'))
  const at = (name: string) => join(directory, name)
  for (const key of ['key', 'hostkey']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(key)])
  const port = await freePort()
  writeFileSync(
    at('sshd_config'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${at('hostkey')}\nAuthorizedKeysFile ${at('key.pub')}\nPermitRootLogin yes\nStrictModes no\nUsePAM no\nPidFile none\nMaxStartups 100\n`,
  )
  writeFileSync(
    at('ssh_config'),
    `Host box\n  HostName 127.0.0.1\n  Port ${port}\n  User root\n  IdentityFile ${at('key')}\n  IdentitiesOnly yes\n  UserKnownHostsFile ${at('known')}\n  StrictHostKeyChecking accept-new\n`,
  )
  const own = pids === 'own' ? ['--pid', '--fork', '--kill-child'] : []
  const child = spawn(
    'unshare',
    ['--mount', ...own, 'sh', '-c', BOOT, 'sh', directory, hasNode ? process.execPath : ''],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += String(chunk)
  })
  await untilUp(child, at('ssh_config'), () => output)
  const inside = () => processesThere(directory)
  return {
    host: 'box',
    port,
    configFile: at('ssh_config'),
    run: (command) =>
      execFileSync('ssh', ['-F', at('ssh_config'), '-o', 'BatchMode=yes', 'box', command], { encoding: 'utf8' }),
    cut: () => signalAll(inside().filter(isSshd), 'SIGSTOP'),
    mend: () => signalAll(inside().filter(isSshd), 'SIGCONT'),
    killAll: (pattern, signal = 'SIGKILL') => signalAll(inside().filter(hasWords(pattern)), signal),
    die: async () => {
      signalAll(inside(), 'SIGKILL')
      child.kill('SIGKILL')
      await pause(50)
    },
    async stop() {
      signalAll(inside(), 'SIGKILL')
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) {
        await Promise.race([new Promise((resolve) => child.once('exit', resolve)), pause(5_000)])
      }
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function untilUp(child: ChildProcess, config: string, message: () => string): Promise<void> {
  for (let tries = 0; tries < 100 && child.exitCode === null; tries++) {
    if (spawnSync('ssh', ['-F', config, '-o', 'BatchMode=yes', 'box', 'true']).status === 0) return
    await pause(100)
  }
  throw new Error(`sshd did not start: ${message().slice(-1_000)}`)
}

/** By their root directory, which nothing else has. */
function processesThere(directory: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/root`).startsWith(directory)
      } catch {
        return false
      }
    })
}

const hasWords = (pattern: string) => (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(pattern)
  } catch {
    return false
  }
}

function isSshd(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('sshd')
  } catch {
    return false
  }
}

function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended meanwhile.
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
