import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeDeadLocks } from './copilot-locks.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aot-locks-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const names = () => readdirSync(directory).sort()

function lock(pid: number): string[] {
  const [file, hold] = [`inuse.${pid}.lock`, `inuse.${pid}.hold`]
  writeFileSync(join(directory, file), `${pid}\n`)
  writeFileSync(join(directory, hold), '')
  return [hold, file]
}

it('a lock of a program that is running stays', async () => {
  const kept = lock(process.pid)
  await removeDeadLocks(directory)
  expect(names()).toEqual(kept)
})

it('a lock from before a program started goes, whoever has its pid now', async () => {
  const [, file] = lock(process.pid)
  utimesSync(join(directory, file!), new Date(0), new Date(0))
  await removeDeadLocks(directory)
  expect(names()).toEqual([])
})

it.runIf(process.platform === 'linux')(
  'a lock of a running Copilot stays, however the clock was set since',
  async () => {
    const copilot = spawn('sh', ['-c', 'echo; read line', 'copilot'], { stdio: ['pipe', 'pipe', 'ignore'] })
    const ended = new Promise((resolve) => copilot.once('exit', resolve))
    await new Promise((resolve) => copilot.stdout.once('data', resolve))
    const kept = lock(copilot.pid!)
    utimesSync(join(directory, kept[1]!), new Date(0), new Date(0))
    await removeDeadLocks(directory)
    expect(names()).toEqual(kept)
    copilot.stdin.end('\n')
    await ended
  },
)

it.runIf(process.platform === 'linux')('a lock of a killed program goes, also while nobody collects it', async () => {
  // `sleep` never asks how its child ended; a shell does, so the child ends when its parent is `sleep`.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise((resolve) => parent.once('exit', resolve))
  const zombie = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)))
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n')
  process.kill(zombie, 'SIGKILL')
  await expect.poll(() => readFileSync(`/proc/${zombie}/stat`, 'utf8')).toContain(') Z ')
  lock(zombie)
  await removeDeadLocks(directory)
  expect(names()).toEqual([])
  parent.kill('SIGKILL')
  await ended
})

it('nothing else is touched, and nothing fails', async () => {
  const dead = 2 ** 30
  mkdirSync(join(directory, `inuse.${dead}.hold`))
  writeFileSync(join(directory, `inuse.${dead}.lock`), '')
  mkdirSync(join(directory, `inuse.${dead + 1}.lock`))
  symlinkSync('events.jsonl', join(directory, `inuse.${dead + 2}.lock`))
  for (const name of ['events.jsonl', 'inuse.x.lock', 'inuse.01.lock', `inuse.${dead}.lock.txt`])
    writeFileSync(join(directory, name), '')
  const before = names()
  await removeDeadLocks(directory)
  expect(names()).toEqual(before.filter((name) => name !== `inuse.${dead}.lock`))
  await removeDeadLocks(join(directory, 'missing'))
})
