import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { systemClock } from '../lib/clock.ts'
import { createLocalIssues } from './issues/issue-store.ts'
import { createLocalPulls } from './pulls/pull-store.ts'
import { reserveNumber } from './reserve-number.ts'

let temp: TempHome
let projectDir: string
beforeEach(() => {
  temp = createTempHome()
  projectDir = join(temp.home, 'project')
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const stores = () => ({
  issues: createLocalIssues({ projectDir, clock: systemClock }),
  pulls: createLocalPulls({ projectDir, clock: systemClock }),
})
const newIssue = async () => (await stores().issues.create({ title: 'An issue', body: '', labels: [] })).number
const newPull = async () => {
  const opened = {
    title: 'A pull request',
    body: '',
    head: 'feat/x',
    base: 'main',
    headSha: 'c0ffee',
    draft: false,
    session: null,
  }
  return (await stores().pulls.open('ann', opened, (number) => `http://localhost/pull/${number}`)).number
}

describe('the numbers of issues and pull requests', () => {
  it('come from one sequence, as on GitHub', async () => {
    const numbers = [await newIssue(), await newPull(), await newPull(), await newIssue()]
    expect(numbers).toEqual([1, 2, 3, 4])
    expect((await stores().issues.list()).issues.map(({ number }) => number)).toEqual([1, 4])
    expect(
      stores()
        .pulls.list()
        .map(({ number }) => number),
    ).toEqual([2, 3])
  })

  it('are given once, however many ask at once', async () => {
    const numbers = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? newIssue() : newPull())))
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  })

  it('continue above what an older store has, whose issues and pull requests share numbers and stay readable', async () => {
    mkdirSync(join(projectDir, 'issues'), { recursive: true })
    writeFileSync(join(projectDir, 'issues', '1.md'), '---\ntitle: Old\n---\n\nText\n')
    writeFileSync(join(projectDir, 'issues', '.last'), '7\n')
    mkdirSync(join(projectDir, 'pulls', '1'), { recursive: true })
    const opened = {
      type: 'opened',
      at: '2026-01-01T00:00:00Z',
      by: 'ann',
      title: 'Old one',
      body: '',
      head: 'x',
      base: 'main',
      headSha: 'c0ffee',
      draft: false,
      session: null,
      url: 'u',
    }
    writeFileSync(join(projectDir, 'pulls', '1', 'events.jsonl'), `${JSON.stringify(opened)}\n`)
    expect([await newPull(), await newIssue()]).toEqual([8, 9])
    expect(await stores().issues.read(1)).toMatchObject({ title: 'Old' })
    expect(stores().pulls.read(1)).toMatchObject({ title: 'Old one' })
  })

  it('are not reused after a crash between a number and what it was for', async () => {
    expect(await reserveNumber(projectDir)).toBe(1)
    expect(readFileSync(join(projectDir, '.last-number'), 'utf8')).toBe('1\n')
    expect(await newIssue()).toBe(2)
  })

  it('count from what is there when the file of the last one is damaged or gone', async () => {
    expect(await newPull()).toBe(1)
    for (const text of ['', 'x', '-4']) {
      writeFileSync(join(projectDir, '.last-number'), text)
      expect(await reserveNumber(projectDir)).toBe(2)
    }
  })
})
