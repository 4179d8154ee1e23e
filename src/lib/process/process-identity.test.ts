import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { currentProcess, formatIdentity, identify, parseIdentity, processState, startedAt } from './process-identity.ts'

const children: Array<ReturnType<typeof spawn>> = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function startSleeper() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  children.push(child)
  return child
}

describe('a process', () => {
  it('started when the system says, and nobody knows when if that makes no sense', () => {
    const at = startedAt(identify(startSleeper().pid!)!)!
    expect(Math.abs(Date.now() - at)).toBeLessThan(10_000)
    const of = (start: string) => startedAt({ pid: 1, start, boot: '' })
    expect(of('Wed_Nov_18_10_44_05_2020')).toBe(Date.parse('2020-11-18T10:44:05Z'))
    for (const start of ['', 'x', '9'.repeat(15), 'Wed_Nov_18_10_44_05_9999']) expect(of(start)).toBeNull()
  })

  it('is alive while it runs and dead once it ended', async () => {
    const child = startSleeper()
    const identity = identify(child.pid!)!
    expect(processState(identity)).toBe('alive')
    child.kill('SIGKILL')
    await waitFor('the sleeper to end', () => processState(identity) === 'dead')
    expect(identify(identity.pid)).toBeNull()
  })

  it('is dead as a zombie: it has ended, only its exit code waits to be read', async () => {
    // The shell starts a child and becomes a program that never reads its exit code; only then the child may end.
    const parent = spawn('sh', ['-c', 'read -r word <&3 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    })
    children.push(parent)
    const pid = await new Promise<number>((resolve) => parent.stdout!.once('data', (data) => resolve(Number(data))))
    await waitFor('the shell to be another', () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sleep')
    parent.stdio[3]!.destroy()
    await waitFor('the zombie', () => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
    expect(identify(pid)).toBeNull()
  })

  it('is not the stranger that has its pid now', () => {
    const own = currentProcess()
    expect(processState({ ...own, start: '1' })).toBe('dead')
  })

  it('of an earlier boot is dead', () => {
    expect(processState({ ...currentProcess(), boot: '00000000-1' })).toBe('dead')
  })

  it('of another pid namespace is unknown: its pid means nothing here', () => {
    const own = currentProcess()
    const [boot] = own.boot.split('-')
    expect(processState({ ...own, pid: 5, boot: `${boot}-1` })).toBe('unknown')
  })

  it('keeps its identity across exec', () => {
    const script = 'read -r stat < /proc/self/stat; echo "$stat"; exec cat /proc/self/stat'
    const lines = spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split('\n')
    const [startBefore, startAfter] = lines.map((line) => line.slice(line.lastIndexOf(')') + 2).split(' ')[19])
    expect(startAfter).toBe(startBefore)
  })
})

describe('its text form', () => {
  it('comes back as it was', () => {
    expect(parseIdentity(formatIdentity(currentProcess()))).toEqual(currentProcess())
    expect(parseIdentity('7:Mon_Jan_1:')).toEqual({ pid: 7, start: 'Mon_Jan_1', boot: '' })
  })

  it.each(['', 'x', '0:1:2', '1:2', '1:a b:c', '1:2:3:4', '1:2/3:4', '-1:2:3'])('%j is none', (text) => {
    expect(parseIdentity(text)).toBeNull()
  })
})
