// Sessions that claim numbers at the same time while some of them are killed: who hears a number is alone with it.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AoWorld, createAoWorld } from '../support/run-ao.ts'

export function createClaimWorld(): AoWorld {
  return createAoWorld({
    config: `projects:
  app:
    path: .
    agent: demo
    landing: { resolve: [{ kind: sequence, name: migration, files: 'db/####_*.sql' }] }
`,
  })
}

const KILLED_AT = ['claim.chosen', 'claim.written', 'lock.right-taken', 'lock.removed']

export interface Claimed {
  title: string
  /** null: it was killed before it said anything. */
  number: number | null
  isKilled: boolean
}

/** `killAt`: a failpoint, or milliseconds; null: it may end. */
export async function claimAs(
  world: AoWorld,
  { session, title, killAt }: { session: string; title: string; killAt: string | number | null },
): Promise<Claimed> {
  const env = { AO_SESSION: session, ...(typeof killAt === 'string' ? { AO_FAILPOINT: killAt } : {}) }
  const args = ['claim', 'migration', title, '--json']
  const how = typeof killAt === 'number' ? { env, timeoutMs: killAt } : { env }
  const { stdout, stderr, code, signal } = await world.ao(args, how)
  // On a busy machine the lock can take longer than anybody waits for it: an honest refusal, and no number.
  const isRefused = `${stdout}${stderr}`.includes('LOCK_TIMEOUT')
  if (code !== 0 && signal !== 'SIGKILL' && !isRefused)
    throw new Error(`ao claim ended with ${code}: ${stdout}${stderr}`)
  // A last line that was cut was not said.
  const heard = code === 0 && /^\{[\s\S]*\}\n$/.test(stdout) ? (JSON.parse(stdout) as { number: number }).number : null
  return { title, number: heard, isKilled: signal === 'SIGKILL' }
}

export function pickKill(random: { chance(share: number): boolean; below(most: number): number }, longest: number) {
  return random.chance(0.5) ? KILLED_AT[random.below(KILLED_AT.length)]! : random.below(longest)
}

/** Numbers that two were told, or that one was told although another has them on disk. */
export function doubled(world: AoWorld, claimed: readonly Claimed[]): string[] {
  const base = join(world.temp.home, '.agent-orchestrator')
  const project = readdirSync(base).find((name) => name.endsWith('-app'))!
  const text = readFileSync(join(base, project, 'landing', 'claims.json'), 'utf8')
  const { given } = (JSON.parse(text) as Record<string, { given: Array<{ number: number; title: string }> }>).migration!
  const owners = new Map(given.map(({ number, title }) => [number, title]))
  const wrong = claimed.filter(({ number, title }) => number !== null && owners.get(number) !== title)
  const twice = owners.size === given.length ? [] : ['claims.json has a number twice']
  return [
    ...twice,
    ...wrong.map(({ number, title }) => `${title} was told ${number}, which is ${owners.get(number!)}'s`),
  ]
}

/** A branch with a file of this name in db/. */
export function branchWith({ repo, temp }: AoWorld, branch: string, name: string): void {
  const input = `commit refs/heads/${branch}\ncommitter A <a@localhost> 0 +0000\ndata 1\nx\nM 100644 inline db/${name}\ndata 1\nx\n\n`
  execFileSync('git', ['-C', repo, 'fast-import', '--quiet', '--force'], { env: temp.env, input })
}
