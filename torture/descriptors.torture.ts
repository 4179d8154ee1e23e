// npm run torture -- descriptors: commands with fewer file descriptors than they need, a random number of them. A command may fail,
// but says why; nothing is lost, and with enough of them everything works again.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '../test/support/ao-here.ts'
import { type AoHome, createAoHome, type ListedSession } from '../test/support/ao-home.ts'
import { buildAo } from '../test/support/run-ao.ts'
import { type Campaign, campaign, learntBefore, triesOr } from './campaign.ts'

buildAo()

/** With fewer, Node.js itself does not start. */
const LEAST = 22
/** Beyond what a command is known to fail with. */
const BEYOND = 4
const INTERNAL = /went wrong inside|\n {4}at /
/** The exit code of what went wrong; refusals have others. */
const FAILED = 1

/** By command, the most descriptors with which it has failed: with more, none is known to be missing. */
type Reach = Record<string, number>

campaign('few descriptors', async (one) => {
  const ao = await createAoHome({ runtime: 'process' })
  one.afterwards(() => ao.cleanup())
  const { learnt: reach, keep } = learntBefore<Reach>(one.name, {})
  const work = new Map<string, string>()
  let tries = 0
  for (let n = 0; tries < triesOr(60); n++) {
    const { doing, args } = commandOf(one, [...work.keys()])
    const limit = LEAST + one.random.below((reach[doing] ?? LEAST) + BEYOND - LEAST)
    const { code, stderr } = runWith(ao, limit, args)
    if (code === FAILED) reach[doing] = Math.max(reach[doing] ?? 0, limit)
    const where = `${n}: ao ${args.join(' ')} with ${limit} descriptors`
    const trouble: string[] = []
    if (code === null) trouble.push(`${where} did not end`)
    if (code !== 0 && stderr.trim() === '') trouble.push(`${where} failed without a word`)
    if (INTERNAL.test(stderr)) trouble.push(`${where}: ${stderr}`)
    if (limit <= (reach[doing] ?? 0) || trouble.length > 0) {
      const attempt = one.tried('commands')
      one.noted(code === 0 ? 'that succeeded' : 'that failed')
      for (const what of trouble) attempt.broken(what)
      tries++
    }
    if (n % 5 !== 4) continue
    await settle(one, ao, work, n)
    keep()
    one.judged()
  }
  await settle(one, ao, work, 'the end')
  for (const { id } of await list(ao)) await runHere(['session', 'kill', id], ao)
})

function commandOf({ random }: Campaign, ids: string[]): { doing: string; args: string[] } {
  const id = ids.length === 0 ? null : random.pick(ids)
  if (id === null || (ids.length < 4 && random.chance(0.4)))
    return { doing: 'spawn', args: ['spawn', '--prompt', 'work'] }
  return random.pick([
    { doing: 'kill', args: ['session', 'kill', id] },
    { doing: 'purge', args: ['session', 'kill', id, '--purge'] },
    { doing: 'restore', args: ['session', 'restore', id] },
    { doing: 'send', args: ['send', id, 'hello', '--no-wait'] },
    { doing: 'cleanup', args: ['session', 'cleanup'] },
    { doing: 'status', args: ['status'] },
  ])
}

function runWith(ao: AoHome, limit: number, args: string[]): { code: number | null; stderr: string } {
  const argv = ['-c', `ulimit -n ${limit} && exec "$@"`, 'sh', process.execPath, ao.program, ...args]
  const done = spawnSync('sh', argv, { cwd: ao.repo, env: ao.env, encoding: 'utf8', timeout: 120_000, input: '' })
  return { code: done.status, stderr: done.stderr }
}

async function list(ao: AoHome): Promise<ListedSession[]> {
  const { stdout } = await runHere(['session', 'ls', '--all', '--json'], ao)
  return (JSON.parse(stdout) as { sessions: ListedSession[] }).sessions
}

/** With all descriptors again: every session is there, runs or can be restored, and has its work. */
async function settle(one: Campaign, ao: AoHome, work: Map<string, string>, when: number | string): Promise<void> {
  const listed = await list(ao)
  for (const id of work.keys()) {
    const found = listed.find((session) => session.id === id)
    if (found?.status === 'working') continue
    one.noted('restores afterwards')
    const { exitCode, stderr } = await runHere(['session', 'restore', id], ao)
    if (exitCode !== 0) one.broken(`${when}: ${id} (${found?.status ?? 'archived'}) is not restorable: ${stderr}`)
  }
  for (const [id, content] of work) {
    const found = spawnSync('cat', [join(ao.worktree(id), 'work.txt')], { encoding: 'utf8' }).stdout
    if (found !== content) one.broken(`${when}: the work of ${id} is ${JSON.stringify(found)}`)
  }
  for (const { id, status } of await list(ao)) {
    if (work.has(id) || status !== 'working') continue
    const content = `${id} ${when}\n`
    writeFileSync(join(ao.worktree(id), 'work.txt'), content)
    work.set(id, content)
  }
  const left = JSON.parse((await runHere(['doctor', '--json'], ao)).stdout) as { checks: Array<Record<string, string>> }
  for (const { level, name, detail } of left.checks)
    if (level === 'warn' && name === 'left behind') {
      await runHere(['doctor', '--fix'], ao)
      one.log(`${when}: left behind: ${detail}`)
    }
}
