// npm run torture -- loop: the loop of `ao start`, killed, raced for, and run on a configuration that changes under it.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent } from '../src/contract/events.ts'
import { identify } from '../src/lib/process/process-identity.ts'
import type { AoWorld } from '../test/support/run-ao.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { type Campaign, campaign, isTimeUp, triesOr } from './campaign.ts'
import { failpointsIn } from './failpoints.ts'
import { act, ask, createLoopWorld, createPoints, historyOf, killNow, rest, start, TOP } from './loop-world.ts'

const PLAIN = `${TOP}projects:\n  app:\n    path: .\n    agent: demo\n`
const CHECK = 'for f in answer-*; do grep -q 42 $f || { echo $f is wrong; exit 1; }; done'
const FORGE = `${TOP}reactions:\n  approved-and-green: { auto: true }
projects:
  app:
    path: .
    agent: demo
    tracker: local
    scm: { plugin: local, ci: { commands: [{ name: test, run: '${CHECK}' }] } }
`
/** Most loops die before they get anywhere: on a busy machine that takes long. */
const TIMEOUT_MS = 600_000

const AT_ONCE = 4

/** Nobody stands on anybody there, and nobody is part of a group: other campaigns have those. */
const POINTS = failpointsIn(['lifecycle', 'store', 'forge', 'manager/message']).filter(
  (point) => !/^(?:restack|retarget|group)\./.test(point),
)

campaign('killed loop', async (one) => {
  const world = await createLoopWorld(FORGE, one)
  const onTheWay = createPoints(one.name, POINTS, one.random)
  let kills = 0
  let isOver = false
  const killer = (async () => {
    // When the time is up, what was begun comes to its end.
    for (; !isOver && !isTimeUp(); kills++) {
      const begun = performance.now()
      const name = one.random.chance(0.6) ? onTheWay.pick('anything') : null
      // Mostly the first time that it comes there, sometimes up to the fourth.
      const point = name && `${name}:${1 + one.random.below(1 + one.random.below(4))}`
      const pid = await start(world, point === null ? {} : { AO_FAILPOINT: point })
      // As long as the machine needs for a start: mostly before the first round is over, sometimes in the middle of the work.
      const unit = Math.min(2_000, Math.max(200, performance.now() - begun))
      // To a point it comes only by getting somewhere: without these, nothing would ever be merged on a busy machine.
      if (point !== null) await waitFor(point, () => identify(pid) === null, 2.5 * unit).catch(() => undefined)
      else await rest(one.random.below(Math.ceil(one.random.chance(0.7) ? unit : 4 * unit)))
      if (name !== null) onTheWay.came('anything', name, identify(pid) === null)
      const hasEnded = identify(pid) === null
      one.noted(hasEnded && point !== null ? point : 'at any moment')
      await killNow(pid)
      const attempt = one.tried('kills')
      if (hasEnded && point === null) attempt.broken('the loop ended by itself')
    }
    await start(world)
  })()
  let opened = 0
  const bring = async () => {
    await bringToMerge(world, ++opened, one)
    one.noted('pull requests')
  }
  try {
    while (kills < triesOr(60)) {
      // Several at once: the loop always has something to do when it dies.
      await Promise.all(Array.from({ length: AT_ONCE }, bring))
      one.judged()
    }
  } finally {
    isOver = true
    await killer
  }
})

/** CI fails, the agent mends it; a reviewer asks for changes, the agent makes them; approval merges. */
async function bringToMerge(world: AoWorld, n: number, one: Campaign): Promise<void> {
  // In letters: logs that differ in numbers only are one failure of all, which a person is told of instead of the agents.
  const file = `answer-${n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)}`
  const script = [
    ...[`write ${file} 41`, `commit answer ${n}`, `pr Answer ${n}`, 'finish done'],
    ...['on ci-failed:', `write ${file} 42`, `append mended-${n} one`, `commit mended ${n}`, 'push', 'finish mended'],
    ...['on changes-requested:', `append notes-${n} two`, `commit notes ${n}`, 'push', 'finish improved'],
  ]
  const prompt = script.map((line) => `demo: ${line}`).join('\n')
  const { session } = await ask<{ session: { id: string } }>(world, ['spawn', '--prompt', prompt])
  const history = () => historyOf(world, session.id)
  const reached = async (status: string, times: number) =>
    history().filter((event) => event.type === 'status.changed' && event.to === status).length >= times
  const until = (what: string, check: () => Promise<boolean>) =>
    waitFor(`${session.id} ${what}`, check, TIMEOUT_MS).catch(async (error) => {
      for (const event of history().slice(-10)) one.log(JSON.stringify(event))
      throw error
    })
  await until('to pass CI', () => reached('review_pending', 1))
  // Sessions that start together open theirs in any order.
  const listed = await ask<{ pullRequests: Array<{ number: number; head: string }> }>(world, ['pr', 'ls', '--all'])
  const pull = String(listed.pullRequests.find(({ head }) => head === `session/${session.id}`)!.number)
  await act(world, ['pr', 'review', pull, '--request-changes', '--body', 'Two notes, please'])
  await until('to push again', () => reached('review_pending', 2))
  await act(world, ['pr', 'review', pull, '--approve'])
  await until('to be merged', () => reached('merged', 1))
  // Once as everybody reads it: a history that cannot be read would be worse than a wrong one.
  const { events } = await ask<{ events: SessionEvent[] }>(world, ['events', session.id, '--last', '1000'])
  // What a killed loop had announced and not typed is withdrawn, and said anew by the next one.
  const never = new Set(events.flatMap((event) => (NEVER_DELIVERED.has(event.type) ? [idOf(event)] : [])))
  for (const source of ['ci-failed', 'changes-requested']) {
    const queued = events.filter((event) => event.type === 'message.queued' && event.source === source)
    const delivered = queued.filter((event) => !never.has(idOf(event))).length
    if (delivered !== 1) one.broken(`${session.id} was told ${source} ${delivered} times`)
    for (let extra = queued.length; extra > 1; extra--) one.noted('messages said anew')
  }
  const merges = events.filter((event) => event.type === 'status.changed' && event.to === 'merged').length
  if (merges !== 1) {
    one.broken(`${session.id} became merged ${merges} times`)
    for (const event of events.slice(-40)) one.log(JSON.stringify(event))
  }
  // The agent's own deeds show how often it heard each message.
  for (const [file, content] of Object.entries({ mended: 'one\n', notes: 'two\n' })) {
    const path = join(world.repo, `${file}-${n}`)
    // A loop that dies right after it moved the base branch leaves the checkout behind; the next one brings it along.
    await waitFor(`${path} in the checkout`, () => existsSync(path), TIMEOUT_MS)
    const found = readFileSync(path, 'utf8')
    if (found !== content) one.broken(`${session.id} wrote ${JSON.stringify(found)} to ${file}-${n}`)
  }
}

const NEVER_DELIVERED: ReadonlySet<string> = new Set(['message.withdrawn', 'message.undelivered'])

function idOf(event: SessionEvent): string {
  return 'messageId' in event ? event.messageId : ''
}

campaign('races for the loop', async (one) => {
  const world = await createLoopWorld(PLAIN, one)
  for (let round = 0; round < triesOr(12); round++) {
    const port = String(20_000 + one.random.below(20_000))
    const started = await Promise.all(
      Array.from({ length: 2 + one.random.below(4) }, () =>
        world.json<{ pid: number }>(['start'], { env: { AO_PORT: port } }),
      ),
    )
    one.tried('races')
    const codes = started.map(({ code }) => code)
    if (codes.some((code) => code !== 0)) one.broken(`round ${round}: exit codes ${codes.join()}`)
    const pids = new Set(started.map(({ pid }) => pid))
    if (pids.size !== 1) one.broken(`round ${round}: ${pids.size} loops`)
    one.judged()
    if (one.random.chance(0.5)) await Promise.all([...pids].map(killNow))
    else await act(world, ['stop'])
  }
})

campaign('edited configuration', async (one) => {
  const world = await createLoopWorld(PLAIN, one)
  const file = join(world.repo, 'agent-orchestrator.yaml')
  const pid = await start(world)
  const kinds: Array<() => unknown> = [
    () => writeFileSync(file, ''),
    () => writeFileSync(file, PLAIN.slice(0, one.random.below(PLAIN.length))),
    () => writeFileSync(file, `${PLAIN}\nnonsense: [`),
    () => writeFileSync(file, `${PLAIN}\nnoSuchKey: 1\n`),
    () => writeFileSync(file, Buffer.from(Array.from({ length: 200 }, () => one.random.below(256)))),
    () => writeFileSync(file, 'a: &a [*a, *a]\n'.repeat(50)),
    () => writeFileSync(file, `# ${'x'.repeat(5_000_000)}\n`),
    () => undefined,
    () => mkdirSync(file),
    () => execFileSync('mkfifo', [file]),
  ]
  for (let n = 0; n < triesOr(60); n++) {
    rmSync(file, { recursive: true, force: true })
    one.random.pick(kinds)()
    one.tried('edits')
    await rest(one.random.below(400))
    if (identify(pid) === null) throw new Error(`the loop ended after edit ${n}`)
    one.judged()
  }
  rmSync(file, { recursive: true, force: true })
  writeFileSync(file, PLAIN)
  const { session } = await world.json<{ session: { id: string } }>(['spawn', '--prompt', 'demo: ask Which?'])
  const status = async () =>
    (await ask<{ sessions: Array<{ status: string }> }>(world, ['session', 'ls', '--all'])).sessions[0]?.status
  await waitFor(`${session.id} to ask`, async () => (await status()) === 'needs_input')
  execFileSync('tmux', ['-L', 'ao', 'kill-server'], { env: world.temp.env })
  await waitFor('the loop to notice a dead agent', async () =>
    (await world.ao(['events', session.id])).stdout.includes('killed'),
  ).catch((error: Error) => one.broken(error.message))
  if ((await start(world)) !== pid) one.broken('another loop runs than at the beginning')
})
