// npm run torture -- loop: the loop of `ao start`, killed, raced for, and run on a configuration that changes under it.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent } from '../src/contract/events.ts'
import { identify } from '../src/lib/process/process-identity.ts'
import { git } from '../test/support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../test/support/run-ao.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { type Campaign, campaign, timesOr } from './campaign.ts'

const TOP = 'port: 0\nlifecycle: { pollSeconds: 1 }\ndefaults: { notifiers: [] }\n'
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
const PATIENCE_MS = 300_000

buildAo()

async function createWorld(config: string, { afterwards }: Campaign): Promise<AoWorld> {
  const world = createAoWorld({ config })
  afterwards(async () => {
    await world.ao(['stop', '--sessions'])
    return world.temp.cleanup()
  })
  writeFileSync(join(world.repo, 'answer-0'), '42\n')
  git(world.repo, world.temp.env, 'add', '-A')
  git(world.repo, world.temp.env, 'commit', '-qm', 'base')
  await world.ao(['config', 'trust', '--yes'])
  return world
}

async function start(world: AoWorld): Promise<number> {
  return (await world.json<{ pid: number }>(['start'])).pid
}

function killNow(pid: number): void {
  if (identify(pid) !== null) process.kill(pid, 'SIGKILL')
}

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

campaign('killed loop', async (one) => {
  const world = await createWorld(FORGE, one)
  let isOver = false
  const killer = (async () => {
    while (!isOver) {
      const begun = performance.now()
      const pid = await start(world)
      // As long as the machine needs for a start: mostly before the first round is over, sometimes in the middle of the work.
      const unit = Math.max(200, performance.now() - begun)
      await rest(one.random.below(Math.ceil(one.random.chance(0.6) ? unit : 5 * unit)))
      killNow(pid)
      one.tried('kills')
    }
    await start(world)
  })()
  try {
    for (let n = 1; n <= timesOr(6); n++) {
      await bringToMerge(world, n, one)
      one.tried('pull requests')
    }
  } finally {
    isOver = true
    await killer
  }
})

/** CI fails, the agent mends it; a reviewer asks for changes, the agent makes them; approval merges. */
async function bringToMerge(world: AoWorld, n: number, one: Campaign): Promise<void> {
  const script = [
    ...[`write answer-${n} 41`, `commit answer ${n}`, `pr Answer ${n}`, 'finish done'],
    ...[
      'on ci-failed:',
      `write answer-${n} 42`,
      `append mended-${n} one`,
      `commit mended ${n}`,
      'push',
      'finish mended',
    ],
    ...['on changes-requested:', `append notes-${n} two`, `commit notes ${n}`, 'push', 'finish improved'],
  ]
  const prompt = script.map((line) => `demo: ${line}`).join('\n')
  const { session } = await world.json<{ session: { id: string } }>(['spawn', '--prompt', prompt])
  const history = async () =>
    (await world.json<{ events: SessionEvent[] }>(['events', session.id, '--last', '1000'])).events
  const reached = async (status: string, times: number) =>
    (await history()).filter((event) => event.type === 'status.changed' && event.to === status).length >= times
  await waitFor(`${session.id} to pass CI`, () => reached('review_pending', 1), PATIENCE_MS)
  await world.ao(['pr', 'review', String(n), '--request-changes', '--body', 'Two notes, please'])
  await waitFor(`${session.id} to push again`, () => reached('review_pending', 2), PATIENCE_MS)
  await world.ao(['pr', 'review', String(n), '--approve'])
  await waitFor(`${session.id} to be merged`, () => reached('merged', 1), PATIENCE_MS)
  const events = await history()
  // What a killed loop had announced and not typed is withdrawn, and said anew by the next one.
  const never = new Set(events.flatMap((event) => (NEVER_DELIVERED.has(event.type) ? [idOf(event)] : [])))
  for (const source of ['ci-failed', 'changes-requested']) {
    const said = events.filter((event) => event.type === 'message.queued' && event.source === source)
    const delivered = said.filter((event) => !never.has(idOf(event))).length
    if (delivered !== 1) one.broken(`${session.id} was told ${source} ${delivered} times`)
    for (let extra = said.length; extra > 1; extra--) one.tried('messages said anew')
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
    await waitFor(`${path} in the checkout`, () => existsSync(path), PATIENCE_MS)
    const found = readFileSync(path, 'utf8')
    if (found !== content) one.broken(`${session.id} wrote ${JSON.stringify(found)} to ${file}-${n}`)
  }
}

const NEVER_DELIVERED: ReadonlySet<string> = new Set(['message.withdrawn', 'message.undelivered'])

function idOf(event: SessionEvent): string {
  return 'messageId' in event ? event.messageId : ''
}

campaign('races for the loop', async (one) => {
  const world = await createWorld(PLAIN, one)
  for (let round = 0; round < timesOr(12); round++) {
    const port = String(20_000 + one.random.below(20_000))
    const started = await Promise.all(
      Array.from({ length: 5 }, () => world.json<{ pid: number }>(['start'], { env: { AO_PORT: port } })),
    )
    one.tried('races of 5')
    const codes = started.map(({ code }) => code)
    if (codes.some((code) => code !== 0)) one.broken(`round ${round}: exit codes ${codes.join()}`)
    const pids = new Set(started.map(({ pid }) => pid))
    if (pids.size !== 1) one.broken(`round ${round}: ${pids.size} loops`)
    if (one.random.chance(0.5)) for (const pid of pids) killNow(pid)
    else await world.ao(['stop'])
  }
})

campaign('edited configuration', async (one) => {
  const world = await createWorld(PLAIN, one)
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
  for (let n = 0; n < timesOr(60); n++) {
    rmSync(file, { recursive: true, force: true })
    one.random.pick(kinds)()
    one.tried('edits')
    await rest(one.random.below(400))
    if (identify(pid) === null) throw new Error(`the loop ended after edit ${n}`)
  }
  rmSync(file, { recursive: true, force: true })
  writeFileSync(file, PLAIN)
  const { session } = await world.json<{ session: { id: string } }>(['spawn', '--prompt', 'demo: ask Which?'])
  const status = async () =>
    (await world.json<{ sessions: Array<{ status: string }> }>(['session', 'ls', '--all'])).sessions[0]?.status
  await waitFor(`${session.id} to ask`, async () => (await status()) === 'needs_input')
  execFileSync('tmux', ['-L', 'ao', 'kill-server'], { env: world.temp.env })
  await waitFor('the loop to notice a dead agent', async () =>
    (await world.ao(['events', session.id])).stdout.includes('killed'),
  ).catch((error: Error) => one.broken(error.message))
  if ((await start(world)) !== pid) one.broken('another loop runs than at the beginning')
})
