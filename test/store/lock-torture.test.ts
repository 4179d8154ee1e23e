// Many processes, Node and bash, fight for locks whose owners are dead or die inside: never two at once, never stuck.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { currentProcess } from '../../src/lib/process/process-identity.ts'
import { repeats } from '../support/cover.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { testProgram } from '../support/test-program.ts'

const ROUNDS = repeats(100, 30)

const NODE_CONTENDER = testProgram('lock-contender')
const SHELL_CONTENDER = fileURLToPath(new URL('./fixtures/lock-contender.sh', import.meta.url))
const HELPER = fileURLToPath(new URL('../../src/inside/shell/ao-metadata-helper.sh', import.meta.url))

let temp: TempHome
let directory: string
let children: ChildProcess[]

beforeEach(() => {
  temp = createTempHome()
  directory = join(temp.home, 'locks')
  mkdirSync(directory)
  children = []
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  expect(await temp.cleanup()).toEqual([])
})

interface Contest {
  node: number
  shell: number
  rounds: number
  intervalMs: number
  /** In which rounds a contender dies inside, by its name. */
  deaths?: (name: string) => number[]
}

async function contest({ node, shell, rounds, intervalMs, deaths = () => [] }: Contest): Promise<string[]> {
  const startAt = String(Date.now() + 1_500)
  const ends: Array<Promise<unknown>> = []
  const start = (program: string, before: string[], name: string) => {
    const schedule = [name, String(rounds), startAt, String(intervalMs), deaths(name).join(',')]
    const child = spawn(program, [...before, directory, ...schedule], {
      env: temp.env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    children.push(child)
    ends.push(new Promise((resolve) => child.once('exit', resolve)))
  }
  for (let index = 0; index < node; index++) start(process.execPath, [NODE_CONTENDER], `node-${index}`)
  for (let index = 0; index < shell; index++) start(SHELL_CONTENDER, [HELPER], `shell-${index}`)
  await Promise.all(ends)
  return readFileSync(join(directory, 'journal'), 'utf8').trim().split('\n')
}

/** Replays the journal: a process that enters must find the lock free, or its holder dead. */
function intrusions(journal: string[], dies: (name: string, round: string) => boolean): string[] {
  const inside = new Map<string, string>()
  const found: string[] = []
  for (const line of journal) {
    const [what, round = '', name = ''] = line.split(' ')
    if (what === 'leave') {
      inside.delete(round)
      continue
    }
    const holder = inside.get(round)
    if (holder !== undefined) found.push(`${name} entered round ${round} while ${holder} was inside`)
    if (dies(name, round)) inside.delete(round)
    else inside.set(round, name)
  }
  return found
}

/** Locks of owners that are gone: a process that ended, a stranger with its pid now, an earlier boot, no owner at all. */
function leaveStaleLocks(rounds: number): void {
  const { boot } = currentProcess()
  const owners = [`4194305:1:${boot}`, `1:7:${boot}`, '1:1:00000000-1', 'nobody']
  for (let round = 0; round < rounds; round++) symlinkSync(owners[round % 4]!, join(directory, `round-${round}`))
}

describe('the lock', () => {
  it(`M6 is taken over from a dead owner by one of 12 contenders at a time, ${ROUNDS} rounds`, async () => {
    leaveStaleLocks(ROUNDS)
    const journal = await contest({ node: 8, shell: 4, rounds: ROUNDS, intervalMs: 40 })
    expect(journal).toHaveLength(ROUNDS * 12 * 2)
    expect(intrusions(journal, () => false)).toEqual([])
    expect(readdirSync(directory)).toEqual(['journal'])
  })

  it('stays exclusive and free when its holders are killed inside, again and again', async () => {
    // In every round three of the twelve die inside: a Node process for good, shells in their subshell.
    const rounds = 40
    const deaths = (name: string) => {
      const number = Number(name.split('-')[1])
      if (name.startsWith('node')) return number < 4 ? [5 + number * 10] : []
      return Array.from({ length: rounds }, (_, round) => round).filter((round) => round % 3 === number % 3)
    }
    const dies = (name: string, round: string) => deaths(name).includes(Number(round))
    const journal = await contest({ node: 7, shell: 5, rounds, intervalMs: 60, deaths })
    expect(intrusions(journal, dies)).toEqual([])
    const entered = journal.filter((line) => line.startsWith('enter')).length
    const skippedByTheDead = [0, 1, 2, 3].reduce((sum, number) => sum + (rounds - 1 - (5 + number * 10)), 0)
    expect(entered).toBe(rounds * 12 - skippedByTheDead)
  })
})
