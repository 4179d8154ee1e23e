// npm run torture -- disk: a disk that fills up at any point of any command. Nothing is lost, and with room again all goes on.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '../test/support/ao-here.ts'
import { type AoHome, createAoHome, type ListedSession } from '../test/support/ao-home.ts'
import { AO, buildAo } from '../test/support/run-ao.ts'
import { type Campaign, campaign, learntBefore, triesOr } from './campaign.ts'

buildAo()

const INTERNAL = /went wrong inside/

/** Side by side, each with a home and a disk of its own. */
const LANES = 3
const SIZES_KB = [0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 700]
const COMMANDS = ['spawn', 'send', 'kill', 'purge', 'restore', 'cleanup'] as const
type Command = (typeof COMMANDS)[number]
/** What there is for them to do only when it has ended. */
const NEEDS_END: ReadonlySet<Command> = new Set(['restore', 'cleanup'])

/** The most room with which each has failed; with more, no write is known to fail. Without any, each write does. */
type Reach = Record<Command, number>

campaign('full disk', async (one) => {
  const { learnt: reach, keep } = learntBefore<Reach>(one.name, {
    spawn: 0,
    send: 0,
    kill: 0,
    purge: 0,
    restore: 0,
    cleanup: 0,
  })
  const lanes = await Promise.all(Array.from({ length: LANES }, () => createLane(one)))
  for (let tries = 0; tries < triesOr(40); ) {
    const counted = await Promise.all(lanes.map((lane) => fillUp(lane, one, reach)))
    tries += counted.filter(Boolean).length
    keep()
    one.judged()
  }
  for (const { ao } of lanes) {
    ao.run(['doctor', '--fix'])
    const { checks } = JSON.parse(ao.run(['doctor', '--json']).stdout) as { checks: Array<Record<string, string>> }
    for (const { level, name, detail } of checks)
      if (level === 'warn' && name === 'left behind') one.broken(`at the end: ${detail}`)
  }
})

interface Lane {
  ao: AoHome
  disk: string
  id: string
  round: number
}

async function createLane(one: Campaign): Promise<Lane> {
  const ao = await createAoHome()
  const disk = join(ao.home, '.agent-orchestrator')
  one.afterwards(async () => {
    const strays = await ao.cleanup().catch(() => [])
    spawnSync('umount', ['--lazy', disk])
    rmSync(ao.home, { recursive: true, force: true })
    return strays
  })
  rmSync(disk, { recursive: true, force: true })
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'ao-torture', disk])
  return { ao, disk, id: ao.spawn(), round: 0 }
}

/** Whether it was a try: with as much room, that command has failed before. */
async function fillUp(lane: Lane, one: Campaign, reach: Reach): Promise<boolean> {
  const { ao, disk, id } = lane
  const { random } = one
  const round = lane.round++
  const work = join(ao.worktree(id), 'work.txt')
  writeFileSync(work, `${round}\n`)
  const command = random.pick(COMMANDS)
  if (NEEDS_END.has(command)) await runHere(['session', 'kill', id], ao)
  const sizes = SIZES_KB.filter((size) => size <= reach[command])
  // Now and then with a little more, to learn how far it reaches.
  const freeKb = random.pick(random.chance(0.2) ? SIZES_KB.slice(0, sizes.length + 2) : sizes)
  const ballast = join(disk, 'ballast')
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - freeKb * 1024)))
  const args = {
    ...{ spawn: ['spawn', '--prompt', 'x'], send: ['send', id, 'hello', '--no-wait'], kill: ['session', 'kill', id] },
    ...{
      purge: ['session', 'kill', id, '--purge'],
      restore: ['session', 'restore', id],
      cleanup: ['session', 'cleanup'],
    },
  }[command]
  const { stderr, signal, code } = await runBeside(ao, args)
  if (code !== 0) reach[command] = Math.max(reach[command], freeKb)
  const trouble: string[] = []
  if (signal || INTERNAL.test(stderr)) trouble.push(`${signal ?? stderr}`)
  rmSync(ballast)
  const listed = await runHere(['session', 'ls', '--all', '--json'], ao)
  const { sessions } = JSON.parse(listed.stdout) as { sessions: ListedSession[] }
  if (!sessions.some((session) => session.id === id && session.status === 'working')) {
    const restored = await runHere(['session', 'restore', id], ao)
    if (restored.exitCode !== 0) trouble.push(`no restore afterwards: ${restored.stderr}`)
  }
  const found = existsSync(work) ? readFileSync(work, 'utf8') : null
  if (found !== `${round}\n`) trouble.push(`the work is ${JSON.stringify(found)}`)
  // Several at a time: they take hardly any of the disk.
  const others = sessions.filter((other) => other.id !== id)
  for (const other of others.length < 3 ? [] : others) {
    const purged = await runHere(['session', 'kill', other.id, '--purge'], ao)
    if (purged.exitCode !== 0) trouble.push(`no purge of ${other.id} afterwards: ${purged.stderr}`)
  }
  const isTry = freeKb <= reach[command]
  if (!isTry && trouble.length === 0) return false
  const attempt = one.tried('commands')
  one.noted(`${command} ${code === 0 ? 'that succeeded' : 'that failed'}`)
  for (const what of trouble) attempt.broken(`ao ${args.join(' ')} with ${freeKb} kB: ${what}`)
  return true
}

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stderr: string
}

function runBeside(ao: AoHome, args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [AO, ...args], {
    ...{ cwd: ao.repo, env: ao.env, timeout: 180_000, killSignal: 'SIGKILL' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const err: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  return new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, stderr: Buffer.concat(err).toString() })),
  )
}
