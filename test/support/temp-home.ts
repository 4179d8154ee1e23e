// A HOME of its own for a test: nothing of the real one is read, and nothing is left running or lying around afterwards.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MODULES = join(import.meta.dirname, '..', '..', 'node_modules')
/** Where the suites are installed, nothing is written beside them. */
const CACHE = existsSync(MODULES) ? join(MODULES, '.cache') : join(tmpdir(), `ao-testing-${process.getuid?.()}`)
export const COMPILED = join(CACHE, 'compiled')

export interface TempHome {
  home: string
  /** The environment for everything the test starts. */
  env: NodeJS.ProcessEnv
  /** Ends tmux, ends whatever still runs with this HOME, removes the directory. Returns the strays it had to end. */
  cleanup(): Promise<string[]>
}

/** `at`: where an earlier one was. */
export function createTempHome(at?: string): TempHome {
  const home = at ?? realpathSync(mkdtempSync(join(process.env.AO_TEST_HOMES ?? tmpdir(), 'aot-')))
  mkdirSync(join(home, '.tmux'), { recursive: true, mode: 0o700 })
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = Test\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n' +
      // No process after every commit that finds nothing to tidy up.
      '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n',
  )
  const env: NodeJS.ProcessEnv = {
    HOME: home,
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHELL: '/bin/bash',
    TMUX_TMPDIR: join(home, '.tmux'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    // Compiled once for all tests: a new HOME has nothing compiled, and its first `ao` would take twice the time.
    NODE_COMPILE_CACHE: COMPILED,
    GIT_CONFIG_NOSYSTEM: '1',
    // What it thinks about and the pauses between its steps take a quarter of the time.
    DEMO_AGENT_SPEED: '4',
    // Tests run side by side: no dashboard of theirs gets the port of another.
    AO_PORT: '0',
    // A recorder for each home would cost every test with tmux a process; tests of recordings switch it on, and AO_TEST_RECORDING=on all of them.
    AO_RECORDING: process.env.AO_TEST_RECORDING ?? 'off',
  }
  return { home, env, cleanup: () => cleanup(home, env) }
}

async function cleanup(home: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  // A process for every test, and few of them have a server.
  if (existsSync(join(home, '.tmux', `tmux-${process.getuid?.()}`)))
    spawnSync('tmux', ['-L', 'ao', 'kill-server'], { env, stdio: 'ignore' })
  const strays = await endProcessesOf(home)
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  return strays
}

async function endProcessesOf(home: string): Promise<string[]> {
  const described = new Set<string>()
  const deadline = Date.now() + 5_000
  // What tmux just ended needs a moment to go; only what stays beyond it is a stray.
  const graceEnds = Date.now() + 1_000
  for (let left = processesOf(home); left.length > 0 && Date.now() < deadline; left = stillOf(home, left)) {
    if (Date.now() > graceEnds) {
      for (const pid of left) {
        described.add(describe(pid))
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It ended on its own between the two lines.
        }
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return [...described]
}

/** Those of them that are left; when none is, whatever they started meanwhile. Reading every process each time took longer than the wait. */
function stillOf(home: string, pids: number[]): number[] {
  const left = pids.filter((pid) => isOf(home, pid))
  return left.length > 0 ? left : processesOf(home)
}

function processesOf(home: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 0 && pid !== process.pid)
    .filter((pid) => isOf(home, pid))
}

function isOf(home: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${home}\0`)
  } catch {
    return false
  }
}

function describe(pid: number): string {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()}`
  } catch {
    return String(pid)
  }
}
