// What people do in the hour before a power loss, and what they find after it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isComplete } from '../../src/inside/path-wrappers.ts'
import { type AoHome, createAoHome, type ListedSession } from '../support/ao-home.ts'
import type { Life, Seen } from './power-loss.ts'
import { findings, inside, message, wording } from './power-next.ts'

const WORK = 'work that nobody committed\n'
const COMMITTED = 'work that was committed\n'

/** Nobody syncs what an agent commits; git can. */
const commit = (file: string, how = '') =>
  `printf '${COMMITTED}' > ${file} && git ${how} add ${file} && git ${how} commit --quiet -m work${how && ` && sync ${file}`}`

const AGENT = `agent: generic
agentConfig: { command: [sh, -c, 'echo ready; exec cat', agent, "{promptFile}"] }`

export const SESSION_LIFE: Life<AoHome> = {
  name: 'one session',
  create: (at) =>
    createAoHome({
      at,
      runtime: 'process',
      projectYaml: AGENT,
      files: { 'README.md': '# app\n', 'src/a.txt': 'a\n'.repeat(3_000) },
    }),
  steps: [
    ['spawn', (ao, env) => ao.run(['spawn', '--prompt', 'the first prompt'], env)],
    ['commit', (ao, env) => inside(ao, env, commit('committed.txt', '-c core.fsync=all'))],
    ['work', (ao, env) => inside(ao, env, `printf '${WORK}' > work.txt && sync work.txt`)],
    ['send', (ao, env) => ao.run(['send', 'app-1', 'the first message', '--no-wait'], env)],
    ['kill', (ao, env) => ao.run(['session', 'kill', 'app-1'], env)],
    ['restore', (ao, env) => ao.run(['session', 'restore', 'app-1'], env)],
    ['hasty commit', (ao, env) => inside(ao, env, commit('hasty.txt'))],
    ['purge', (ao, env) => ao.run(['session', 'kill', 'app-1', '--purge'], env)],
    ['restore purged', (ao, env) => ao.run(['session', 'restore', 'app-1'], env)],
    ['send again', (ao, env) => ao.run(['send', 'app-1', 'the second message', '--no-wait'], env)],
    ['kill again', (ao, env) => ao.run(['session', 'kill', 'app-1'], env)],
    ['cleanup', (ao, env) => ao.run(['session', 'cleanup'], env)],
    ['restore cleaned', (ao, env) => ao.run(['session', 'restore', 'app-1'], env)],
  ],
  async *check(ao, seen) {
    // Git has not synced it, and nobody has said that it is safe.
    if (seen.done.has('hasty commit') && !seen.done.has('purge')) return
    yield* first(seen)
    yield* listing(ao, seen)
    yield* restored(ao, seen)
    yield* findings(ao, seen)
  },
}

const NEXT = [
  ['session', 'ls', '--all'],
  ['status'],
  ['doctor', '--fix'],
  ['session', 'cleanup'],
  ['spawn', '--prompt', 'next'],
  ['session', 'restore', '--all'],
]

/** Whatever comes first after the boot. */
async function* first({ random, ask }: Seen) {
  const args = random.pick(NEXT)
  const done = await ask(args)
  yield* wording(args, done)
  if (done.exitCode !== 0 && args[0] !== 'doctor') yield `${message(args, done)}`
}

async function* listing(ao: AoHome, { done, ask }: Seen): AsyncGenerator<string> {
  const args = ['session', 'ls', '--all', '--json']
  const listed = await ask(args)
  if (listed.exitCode !== 0) return yield message(args, listed)
  const { sessions } = JSON.parse(listed.stdout) as { sessions: ListedSession[] }
  if (!done.has('spawn')) return
  if (!sessions.some(({ id }) => id === 'app-1') && ao.archived().length === 0) yield `app-1 is gone: ${listed.stdout}`
}

async function* restored(ao: AoHome, seen: Seen) {
  const { done, ask } = seen
  const args = ['session', 'restore', 'app-1', '--json']
  const answer = await ask(args)
  const isRunning = /"SESSION_NOT_RESTORABLE"|still running|is running/.test(answer.stdout)
  if (answer.exitCode !== 0 && !isRunning) {
    if (done.has('spawn')) yield message(args, answer)
    else yield* wording(args, answer)
    return
  }
  if (!done.has('spawn')) return
  const file = (name: string) => {
    const path = join(ao.worktree('app-1'), name)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }
  if (done.has('work') && file('work.txt') !== WORK) yield `work.txt is ${JSON.stringify(file('work.txt'))}`
  for (const [step, name] of [
    ['commit', 'committed.txt'],
    ['purge', 'hasty.txt'],
  ] as const) {
    if (done.has(step) && file(name) !== COMMITTED) yield `${name} is ${JSON.stringify(file(name))}`
  }
  if (file('README.md') !== '# app\n') yield `README.md is ${JSON.stringify(file('README.md'))}`
  if (file('src/a.txt') !== 'a\n'.repeat(3_000)) yield `src/a.txt is ${JSON.stringify(file('src/a.txt')?.slice(0, 40))}`
  const events = (await ask(['events', 'app-1', '-n', '1000', '--json'])).stdout
  for (const [step, text] of [
    ['send', 'the first message'],
    ['send again', 'the second message'],
  ] as const) {
    if (done.has(step) && !events.includes(text)) yield `the history lost ${text}`
  }
  if (!isComplete(join(ao.home, '.ao', 'bin'))) yield 'the wrappers are not complete'
}
