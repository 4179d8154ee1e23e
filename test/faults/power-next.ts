// What every life after a power loss has in common: how answers are judged, and what doctor and git still say at the end.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { AoHome, RunResult } from '../support/ao-home.ts'
import type { Seen } from './power-loss.ts'

interface Finding {
  level: string
  name: string
  detail: string
  fix?: string
}

export const message = (args: string[], { exitCode, signal, stdout, stderr }: RunResult) =>
  `${args.join(' ')} exits with ${exitCode ?? signal}: ${`${stdout}${stderr}`.slice(0, 1_500)}`

/** No answer is a stack or silence. */
export function* wording(args: string[], done: RunResult): Generator<string> {
  if (/went wrong inside|\n {4}at /.test(done.stderr)) yield message(args, done)
  else if (done.exitCode !== 0 && `${done.stdout}${done.stderr}`.trim() === '') yield message(args, done)
}

/** As people do: the lock of a killed git is removed when the answer names it. */
export function removesLock({ stdout, stderr }: RunResult): boolean {
  const lock = /rm '([^']+\.lock)'/.exec(`${stdout}${stderr}`)?.[1]
  if (lock !== undefined) rmSync(lock)
  return lock !== undefined
}

/** Everything that is not right is repaired by now, or named with its repair. */
export async function* findings(ao: AoHome, { ask }: Pick<Seen, 'ask'>): AsyncGenerator<string> {
  const args = ['doctor', '--fix', '--json']
  const doctor = await ask(args)
  yield* wording(args, doctor)
  const { checks } = JSON.parse(doctor.stdout) as { checks: Finding[] }
  for (const { level, name, detail, fix } of checks) {
    if (level === 'fail' || (level === 'warn' && name === 'left behind')) yield `doctor: ${name}: ${detail} (${fix})`
  }
  const fsck = spawnSync('git', ['fsck', '--no-dangling', '--no-progress'], {
    cwd: ao.repo,
    env: ao.env,
    encoding: 'utf8',
  })
  if (fsck.status !== 0) yield `git fsck: ${fsck.stdout}${fsck.stderr}`
}

/** In a session's worktree, as its agent runs programs there: ao's git and gh first. */
export function inside(ao: AoHome, env: NodeJS.ProcessEnv, script: string): RunResult {
  const id = 'app-1'
  const own = {
    PATH: `${ao.home}/.ao/bin:${ao.env.PATH}`,
    AO_SESSION: id,
    AO_PROJECT_ID: 'app',
    AO_CALLER_TYPE: 'agent',
    AO_GH_FACADE: 'ao gh',
    AO_CONFIG_PATH: `${ao.repo}/agent-orchestrator.yaml`,
    AO_DATA_DIR: ao.sessionFile(id).replace(/\/[^/]*$/, ''),
  }
  const done = spawnSync('bash', ['-c', script], {
    cwd: ao.worktree(id),
    env: { ...ao.env, ...env, ...own },
    encoding: 'utf8',
  })
  return { stdout: done.stdout, stderr: done.stderr, exitCode: done.status, signal: done.signal }
}
