// The built `ao` in its own HOME, beside a real repository: in the process of the test, or as its users run it.
import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere, runsHere } from './ao-here.ts'
import { createRepo } from './git-repo.ts'
import { createTempHome, type TempHome } from './temp-home.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** AO_TEST_DIST: another build than the repository's own, e.g. an installed package. */
const OTHER_DIST = process.env.AO_TEST_DIST
export const AO = join(OTHER_DIST ?? join(ROOT, 'dist'), 'ao.js')

export interface AoResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  input?: string | Buffer
  timeoutMs?: number
}

export interface AoWorld {
  temp: TempHome
  /** The repository of project `app`, with the configuration in it. */
  repo: string
  /** In the process of the test; with variables or a limit, or where the command goes on, in one of its own. */
  ao(args: string[], options?: RunOptions): Promise<AoResult>
  /** The same, parsed; fails when it is not JSON. */
  json<T = Record<string, unknown>>(args: string[], options?: RunOptions): Promise<T & { code: number | null }>
  /** `ao` in a process of its own. */
  runAlone(args: string[], options?: RunOptions): Promise<AoResult>
  /** The user agrees to everything in the configuration, without a process that loads a hundred files for it. */
  agree(): Promise<void>
}

/** Builds when something changed since the last build, unless build-once.ts has; call it once before the tests of a file. */
export function buildAo(): void {
  if (OTHER_DIST || process.env.AO_TEST_BUILT === '1') return
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] })
}

export function createAoWorld(options: { config?: string } = {}): AoWorld {
  const temp = createTempHome()
  const repo = createRepo(join(temp.home, 'app'), temp.env)
  if (options.config !== '') writeFileSync(join(repo, 'agent-orchestrator.yaml'), options.config ?? DEMO_CONFIG)
  const runAlone = (args: string[], how: RunOptions = {}) =>
    runAo(args, { cwd: repo, ...how, env: { ...temp.env, ...how.env } })
  const ao = async (args: string[], how?: RunOptions): Promise<AoResult> => {
    if (how?.env || how?.timeoutMs || !runsHere(args)) return runAlone(args, how)
    const { exitCode, ...printed } = await runHere(args, { env: temp.env, repo: how?.cwd ?? repo, input: how?.input })
    return { ...printed, code: exitCode }
  }
  return {
    temp,
    repo,
    ao,
    runAlone,
    async agree() {
      // Most worlds need no consent, and none of what reads a configuration.
      const { agreeToAll } = await import('./agree.ts')
      await agreeToAll(join(repo, 'agent-orchestrator.yaml'), { home: temp.home, env: temp.env })
    },
    async json<T>(args: string[], how?: RunOptions) {
      const { code, stdout, stderr } = await ao([...args, '--json'], how)
      try {
        return { ...(JSON.parse(stdout) as T), code }
      } catch {
        throw new Error(`ao ${args.join(' ')} printed no JSON (exit ${code}): ${stdout}${stderr}`)
      }
    },
  }
}

const DEMO_CONFIG = `projects:
  app:
    path: .
    agent: demo
`

function runAo(args: string[], options: RunOptions & { env: NodeJS.ProcessEnv }): Promise<AoResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [AO, ...args], { cwd: options.cwd, env: options.env })
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 50_000)
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() })
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(options.input)
  })
}
