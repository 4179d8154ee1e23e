import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { scratchFile, takeTurn, withLock } from './lock.ts'
import { currentProcess, formatIdentity, identify } from './process/process-identity.ts'

let temp: TempHome
let directory: string
let lock: string

beforeEach(() => {
  temp = createTempHome()
  directory = join(temp.home, 'locks')
  mkdirSync(directory)
  lock = join(directory, 'svc-1')
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const own = () => formatIdentity(currentProcess())
const { boot } = currentProcess()
/** No process has had this number: the kernel's highest is 4194304. */
const DEAD = `4194305:1:${boot}`
const brief = { timeoutMs: 60 }

/** Runs withLock in a process of its own, which a failpoint may end. */
function takeElsewhere(failpoint = ''): string | null {
  const module = JSON.stringify(new URL('./lock.ts', import.meta.url).href)
  const script = `import { withLock } from ${module}; await withLock(process.argv[1], () => undefined)`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script, lock], {
    env: { ...temp.env, AO_FAILPOINT: failpoint },
  })
  return run.signal
}

describe('withLock', () => {
  it('names its owner while it is held, and leaves nothing', async () => {
    await withLock(lock, () => expect(readlinkSync(lock)).toBe(own()))
    expect(readdirSync(directory)).toEqual([])
  })

  it('returns what happens inside, and is free again after an error', async () => {
    expect(await withLock(lock, () => 7)).toBe(7)
    await expect(
      withLock(lock, () => {
        throw new Error('inside')
      }),
    ).rejects.toThrow('inside')
    expect(readdirSync(directory)).toEqual([])
  })

  it('serves one process in the order of asking', async () => {
    const order: number[] = []
    const take = (number: number) =>
      withLock(lock, async () => {
        order.push(number)
        await new Promise((resolve) => setTimeout(resolve, 1))
        order.push(number)
      })
    await Promise.all([take(1), take(2), take(3)])
    expect(order).toEqual([1, 1, 2, 2, 3, 3])
  })

  it('gives up in time, inside its own process too, and names the holder', async () => {
    await withLock(lock, async () => {
      await expect(withLock(lock, () => 'never', brief)).rejects.toMatchObject({
        code: 'LOCK_TIMEOUT',
        message: `The lock ${lock} is held by process ${process.pid}`,
        details: { path: lock, owner: own() },
      })
    })
    await expect(withLock(lock, () => 'in')).resolves.toBe('in')
  })

  it('waits for a living owner whatever the age of the lock', async () => {
    symlinkSync(formatIdentity({ ...currentProcess() }), lock)
    await expect(withLock(lock, () => 'never', brief)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
    expect(readdirSync(directory)).toEqual(['svc-1'])
  })

  it('waits for an owner in another pid namespace: whether it is alive is unknown here', async () => {
    symlinkSync(`5:1:${boot.split('-')[0]}-1`, lock)
    await expect(withLock(lock, () => 'never', brief)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
  })

  it.each([
    ['a process that ended', DEAD],
    ['a stranger with its pid', `1:7:${boot}`],
    ['an earlier boot', '1:1:00000000-1'],
    ['nobody', 'not-an-owner'],
  ])('takes over from %s, with what it left unfinished', async (_name, owner) => {
    symlinkSync(owner, lock)
    writeFileSync(`${lock}.scratch.${owner}`, 'half')
    expect(await withLock(lock, () => readdirSync(directory))).toEqual(['svc-1'])
    expect(readdirSync(directory)).toEqual([])
  })

  it('leaves a lock alone that is no longer its own', async () => {
    await withLock(lock, () => {
      rmSync(lock)
      symlinkSync(DEAD, lock)
    })
    expect(readlinkSync(lock)).toBe(DEAD)
  })

  it('keeps one file that the next owner removes if we die', async () => {
    await withLock(lock, () => expect(scratchFile(lock)).toBe(`${lock}.scratch.${own()}`))
  })
})

describe('when the one who takes over dies too', () => {
  it('with the right in its hand, the next one inherits it', async () => {
    symlinkSync(DEAD, lock)
    expect(takeElsewhere('lock.right-taken')).toBe('SIGKILL')
    expect(takeElsewhere('lock.right-taken')).toBe('SIGKILL')
    expect(readdirSync(directory)).toHaveLength(3)
    expect(await withLock(lock, () => 'in')).toBe('in')
    expect(readdirSync(directory)).toEqual([])
  })

  it('after the removal, its rights mean nothing and go with the next takeover', async () => {
    symlinkSync(DEAD, lock)
    expect(takeElsewhere('lock.removed')).toBe('SIGKILL')
    expect(existsSync(lock)).toBe(false)
    expect(await withLock(lock, () => 'in')).toBe('in')
    symlinkSync(`4194306:1:${boot}`, lock)
    expect(await withLock(lock, () => 'in')).toBe('in')
    expect(readdirSync(directory)).toEqual([])
  })

  it('no process removes a lock while a live process has the right to', async () => {
    symlinkSync(DEAD, lock)
    symlinkSync(own(), `${lock}.break.${DEAD}`)
    await expect(withLock(lock, () => 'never', brief)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
    expect(readlinkSync(lock)).toBe(DEAD)
  })
})

describe('a ticket', () => {
  const ticket = (time: number, owner: string) => `${lock}.ticket.${String(time).padStart(15, '0')}.${owner}`

  it('of a living process goes first', async () => {
    writeFileSync(ticket(Date.now(), own()), '')
    await expect(withLock(lock, () => 'never', brief)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
  })

  it('of a dead process counts for nothing and is removed', async () => {
    writeFileSync(ticket(Date.now(), DEAD), '')
    expect(await withLock(lock, () => 'in', brief)).toBe('in')
    expect(readdirSync(directory)).toEqual([])
  })

  it('that is old is passed over: its owner hangs', async () => {
    writeFileSync(ticket(Date.now() - 20_000, own()), '')
    expect(await withLock(lock, () => 'in', brief)).toBe('in')
  })

  it('of a suspended process is passed over', async () => {
    const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' })
    writeFileSync(ticket(Date.now(), formatIdentity(identify(sleeper.pid!)!)), '')
    await expect(withLock(lock, () => 'never', brief)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
    sleeper.kill('SIGSTOP')
    expect(await withLock(lock, () => 'in')).toBe('in')
    sleeper.kill('SIGKILL')
  })

  it('is drawn by who waits long, and given back', async () => {
    symlinkSync(own(), lock)
    const taken = withLock(lock, () => 'in')
    await waitFor('a ticket', () => readdirSync(directory).some((name) => name.startsWith('svc-1.ticket.')))
    rmSync(lock)
    expect(await taken).toBe('in')
    expect(readdirSync(directory)).toEqual([])
  })
})

describe('a turn', () => {
  const turnFile = (time: number, owner: string) => `${lock}.turn.${String(time).padStart(15, '0')}.${owner}`

  it('lets those of other processes go first who came earlier, and nobody else', async () => {
    const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' })
    try {
      const other = formatIdentity(identify(sleeper.pid!)!)
      const turn = takeTurn(lock, 1_000)
      writeFileSync(turnFile(2_000, other), '')
      expect(turn.mustLetOthersGo()).toBe(false)
      writeFileSync(turnFile(500, DEAD), '')
      writeFileSync(turnFile(600, own()), '')
      expect(turn.mustLetOthersGo()).toBe(false)
      writeFileSync(turnFile(999, other), '')
      await expect(withLock(lock, () => 'overtaken', { turn, timeoutMs: 50 })).rejects.toMatchObject({
        code: 'LOCK_TIMEOUT',
      })
      rmSync(turnFile(999, other))
      expect(await withLock(lock, () => 'next', { turn })).toBe('next')
      turn.leave()
      expect(readdirSync(directory).filter((name) => name.includes('.turn.'))).toHaveLength(2)
    } finally {
      sleeper.kill('SIGKILL')
    }
  })

  it('is not waited for when its owner hangs', () => {
    const turn = takeTurn(lock, 1_000)
    const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' })
    try {
      const file = turnFile(500, formatIdentity(identify(sleeper.pid!)!))
      writeFileSync(file, '')
      utimesSync(file, 1, 1)
      expect(turn.mustLetOthersGo()).toBe(false)
    } finally {
      turn.leave()
      sleeper.kill('SIGKILL')
    }
  })
})
