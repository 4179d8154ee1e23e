// The local tracker: the suite of all trackers, and what is its own: plain files that people may edit.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as yaml from 'yaml'
import { formatIssue, type LocalIssue, parseIssue } from '../../src/forge/issues/issue-store.ts'
import { silentLog } from '../../src/lib/log.ts'
import { hashConfigDir } from '../../src/lib/process/own-home.ts'
import { plugin } from '../../src/plugins/tracker-local/index.ts'
import type { PluginContext } from '../../src/slots/plugin.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { describeTracker } from './tracker-suite.ts'
import { projectOf } from './workspace-world.ts'

function open(temp: TempHome) {
  const { home, env } = temp
  const dataDir = join(home, '.agent-orchestrator')
  const context: PluginContext = { home, env, log: silentLog, configDir: home, dataDir, port: 3210 }
  const tracker = plugin.create({}, context)
  const directory = join(dataDir, `${hashConfigDir(home)}-app`, 'issues')
  return { tracker, directory, project: projectOf(home), context }
}

describeTracker('local', async () => {
  const temp = createTempHome()
  const { tracker, directory, project } = open(temp)
  mkdirSync(directory, { recursive: true })
  let last = 0
  return {
    tracker,
    project,
    missing: '99',
    spellings: (id) => [`#${id}`, ` ${id} `, `http://localhost:3210/projects/app/issues/${id}`],
    async seed({ title, body, labels = [], closed }) {
      const front = [
        `title: ${JSON.stringify(title)}`,
        `labels: [${labels.join(', ')}]`,
        ...(closed ? ['state: closed'] : []),
      ]
      writeFileSync(join(directory, `${++last}.md`), `---\n${front.join('\n')}\n---\n${body}\n`)
      return String(last)
    },
    async block(blocker, blocked) {
      const file = join(directory, `${blocked}.md`)
      const text = readFileSync(file, 'utf8')
      const list = /^blockedBy: (.*)$/m.exec(text)?.[1]
      writeFileSync(
        file,
        list === undefined
          ? text.replace('---\n', `---\nblockedBy: ${blocker}\n`)
          : text.replace(/^blockedBy: .*$/m, `blockedBy: [${list}, ${blocker}]`),
      )
    },
    async breakDown() {
      rmSync(directory, { recursive: true })
      writeFileSync(directory, 'no directory')
    },
    async cleanup() {
      expect(await temp.cleanup()).toEqual([])
    },
  }
})

describe('issues in files', () => {
  let temp: TempHome
  beforeEach(() => {
    temp = createTempHome()
  })
  afterEach(async () => {
    expect(await temp.cleanup()).toEqual([])
  })

  it('counts up and never uses a number twice, also after a file was deleted', async () => {
    const { tracker, project, directory } = open(temp)
    const create = (title: string) => tracker.createIssue!({ title, description: '' }, project)
    expect((await create('a')).id).toBe('1')
    expect((await create('b')).id).toBe('2')
    rmSync(join(directory, '2.md'))
    expect((await create('c')).id).toBe('3')
  })

  it('gives every one of many writers at once a number and a file of its own', async () => {
    const { project, context } = open(temp)
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        plugin.create({}, context).createIssue!({ title: `t${n}`, description: '' }, project),
      ),
    )
    expect(made.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
  })

  it('reads a file that somebody wrote by hand, and keeps what it does not know', async () => {
    const { tracker, project, directory } = open(temp)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, '7.md'), '# Plain heading\n\nsome text\n')
    writeFileSync(join(directory, '8.md'), '---\ntitle: T\nestimate: 3\nstate: In Progress\nlabels: a, b\n---\nx')
    writeFileSync(join(directory, 'notes.md'), 'no issue')
    expect(await tracker.getIssue('7', project)).toMatchObject({ title: 'Plain heading', state: 'open' })
    expect(await tracker.getIssue('8', project)).toMatchObject({ state: 'in_progress', labels: ['a', 'b'] })
    await tracker.updateIssue!('8', { comment: 'hello' }, project)
    expect(readFileSync(join(directory, '8.md'), 'utf8')).toContain('estimate: 3')
    expect((await tracker.listIssues!({}, project)).map(({ id }) => id)).toEqual(['8', '7'])
  })

  it('names the file that is not an issue, and still lists the others', async () => {
    const { tracker, project, directory } = open(temp)
    await tracker.createIssue!({ title: 'good', description: '' }, project)
    writeFileSync(join(directory, '2.md'), '---\n: [\n---\nx')
    expect(await tracker.listIssues!({}, project)).toHaveLength(1)
    await expect(tracker.getIssue('2', project)).rejects.toMatchObject({ code: 'METADATA_DAMAGED' })
  })

  it('leaves nothing behind but issues and its counter', async () => {
    const { tracker, project, directory } = open(temp)
    await tracker.createIssue!({ title: 'a', description: '' }, project)
    await tracker.updateIssue!('1', { comment: 'b' }, project)
    expect(readdirSync(directory)).toEqual(['1.md'])
    expect(readdirSync(join(directory, '..')).sort()).toEqual(['.last-number', 'issues'])
    expect(existsSync(join(directory, '.lock'))).toBe(false)
  })

  it('S2.30 branches are feat/issue-{n}', () => {
    const { tracker, project } = open(temp)
    expect(tracker.branchName('#42', project)).toBe('feat/issue-42')
  })

  it('refuses an option it does not know', () => {
    expect(() => plugin.create({ colour: 'red' }, open(temp).context)).toThrow(/no option colour/)
  })

  it('brings any title, text and comment back as it was', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('---', '<!-- ao:comment {} -->', '\\<!-- ao:comment {"a":1} -->', '# x'),
    )
    const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n'))
    const clean = (value: string) => value.replace(/\r\n?/g, '\n').trim()
    fc.assert(
      fc.property(text, fc.array(fc.record({ author: fc.string(), body: text }), { maxLength: 3 }), (body, printed) => {
        const issue: LocalIssue = {
          number: 1,
          title: 'T',
          state: 'open',
          labels: [],
          body,
          comments: printed.map((one) => ({ ...one, createdAt: '2026-01-01T00:00:00.000Z' })),
          assignees: [],
          others: {},
        }
        const read = parseIssue(1, formatIssue(issue, yaml), yaml)
        expect(read).toMatchObject({
          body: clean(body),
          comments: issue.comments.map((one) => ({ ...one, body: clean(one.body) })),
        })
      }),
    )
  })
})
