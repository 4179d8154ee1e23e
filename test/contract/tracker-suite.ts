// The contract of every tracker, whatever is behind it. A plugin's test supplies its own world and runs this.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProjectConfig } from '../../src/contract/config.ts'
import { isSafeBranch } from '../../src/core/session/name-branch.ts'
import { isIssueNotFoundError, type Tracker } from '../../src/slots/tracker.ts'

export interface SeedIssue {
  title: string
  body: string
  labels?: string[]
  assignee?: string
  closed?: boolean
}

export interface TrackerWorld {
  tracker: Tracker
  project: ProjectConfig
  /** Puts an issue there by the tracker's own means, not through the plugin. Resolves with its id. */
  seed(issue: SeedIssue): Promise<string>
  /** By the tracker's own means: the first blocks the second. */
  block(blocker: string, blocked: string): Promise<unknown>
  /** By the tracker's own means: an issue of another repository, where the tracker has those, blocks this one. Resolves with its name. */
  blockFromElsewhere?(blocked: string): Promise<string>
  /** By the tracker's own means, where it can be asked for comments: a colleague's. */
  comment?(issue: string, comment: { body: string; editedTo?: string }): Promise<unknown>
  /** Somebody who does not belong to the repository. */
  commentByStranger?(issue: string, body: string): Promise<unknown>
  /** The colleague's, which the next answer has among comments on issues: on a pull request, and where the tracker could, on an issue of a fork. */
  commentElsewhere?(body: string): Promise<unknown>
  /** The other ways people write this id, such as `#1`. */
  spellings(id: string): string[]
  /** A label of two words, where the tracker does not take one with a space. */
  twoWords?: string
  /** A possible id of an issue that does not exist. */
  missing: string
  /** From now on the tracker cannot be asked. */
  breakDown(): Promise<void>
  cleanup(): Promise<void>
}

export function describeTracker(name: string, createWorld: () => Promise<TrackerWorld>): void {
  describe(`tracker ${name}`, () => {
    let world: TrackerWorld
    beforeEach(async () => {
      world = await createWorld()
    })
    afterEach(() => world.cleanup())

    readsIssues(() => world)
    readsComments(() => world)
    writesIssues(() => world)
  })
}

function readsIssues(world: () => TrackerWorld): void {
  it('S2.12 S2.17 reads an issue, however its id is written', async () => {
    const { tracker, project, seed, spellings, twoWords = 'good first' } = world()
    const id = await seed({ title: 'Log in with a key', body: 'As a user\n\nI want', labels: ['ui', twoWords] })
    for (const spelling of [id, ...spellings(id)]) {
      const issue = await tracker.getIssue(spelling, project)
      expect(issue).toMatchObject({ id, title: 'Log in with a key', state: 'open' })
      expect(issue.description.trim()).toBe('As a user\n\nI want')
      expect([...issue.labels].sort()).toEqual([twoWords, 'ui'])
      expect(issue.url).toBe(await tracker.issueUrl(spelling, project))
    }
  })

  it('names the issues that have to be finished first', async () => {
    const { tracker, project, seed, block, breakDown } = world()
    const [first, second, third] = [
      await seed({ title: 'One', body: '' }),
      await seed({ title: 'Two', body: '' }),
      await seed({ title: 'Three', body: '' }),
    ]
    await block(first, third)
    await block(second, third)
    expect((await tracker.blockersOf!(third, project)).sort()).toEqual([first, second].sort())
    expect(await tracker.blockersOf!(first, project)).toEqual([])
    // Each for the other: that is no reason to read them forever.
    await block(third, first)
    expect(await tracker.blockersOf!(first, project)).toEqual([third])
    const elsewhere = await world().blockFromElsewhere?.(second)
    expect(await tracker.blockersOf!(second, project)).toEqual(elsewhere === undefined ? [] : [elsewhere])
    await breakDown()
    await expect(tracker.blockersOf!(third, project)).rejects.toThrow()
  })

  it('S2.34 says that there is none, as opposed to "I could not ask"', async () => {
    const { tracker, project, missing, breakDown, seed } = world()
    const id = await seed({ title: 'There', body: '' })
    for (const none of [missing, 'fix the login page', '', '../../etc/passwd']) {
      const error = await tracker.getIssue(none, project).catch((thrown: unknown) => thrown)
      expect(isIssueNotFoundError(error), `${JSON.stringify(none)}: ${String(error)}`).toBe(true)
    }
    await breakDown()
    const error = await tracker.getIssue(id, project).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(isIssueNotFoundError(error)).toBe(false)
  })

  it('S2.74 knows whether the work is over', async () => {
    const { tracker, project, seed, missing } = world()
    const open = await seed({ title: 'Open', body: '' })
    const closed = await seed({ title: 'Closed', body: '', closed: true })
    expect(await tracker.isCompleted(open, project)).toBe(false)
    expect(await tracker.isCompleted(closed, project)).toBe(true)
    expect(['closed', 'cancelled']).toContain((await tracker.getIssue(closed, project)).state)
    await expect(tracker.isCompleted(missing, project)).rejects.toSatisfy(isIssueNotFoundError)
  })

  it('S2.30 names a branch that git takes, the same one every time', async () => {
    const { tracker, project, seed, spellings } = world()
    const id = await seed({ title: 'A title: with / ~odd^ things..', body: '' })
    const names = await Promise.all([id, ...spellings(id)].map((spelling) => tracker.branchName(spelling, project)))
    expect(new Set(names).size).toBe(1)
    expect(isSafeBranch(names[0]!)).toBe(true)
  })

  it('puts title, text and address of the issue into the prompt', async () => {
    const { tracker, project, seed } = world()
    const issue = await tracker.getIssue(await seed({ title: 'Dark mode', body: 'At night.' }), project)
    const prompt = tracker.generatePrompt(issue, project)
    for (const part of ['Dark mode', 'At night.', issue.url]) expect(prompt).toContain(part)
  })

  it('lists open issues by default, and by state, label, assignee and number', async () => {
    const { tracker, project, seed } = world()
    if (!tracker.listIssues) return
    const one = await seed({ title: 'One', body: '', labels: ['bug'] })
    const two = await seed({ title: 'Two', body: '', labels: ['bug', 'ui'] })
    const three = await seed({ title: 'Three', body: '', labels: ['bug'], closed: true })
    const ids = async (filter: Parameters<NonNullable<Tracker['listIssues']>>[0]) =>
      (await tracker.listIssues!(filter, project)).map(({ id }) => id).sort()
    expect(await ids({})).toEqual([one, two].sort())
    expect(await ids({ state: 'all' })).toEqual([one, two, three].sort())
    expect(await ids({ state: 'closed' })).toEqual([three])
    expect(await ids({ labels: ['bug', 'ui'] })).toEqual([two])
    expect(await ids({ state: 'all', limit: 2 })).toHaveLength(2)
  })
}

function readsComments(world: () => TrackerWorld): void {
  it('lists what was said on issues since, oldest first, and says what was edited', async () => {
    const { tracker, project, seed, comment, breakDown } = world()
    if (!comment) return
    const since = new Date(Date.now() - 1_000).toISOString()
    const [one, two] = [await seed({ title: 'One', body: '' }), await seed({ title: 'Two', body: '' })]
    await comment(one, { body: '/ao go\nplease' })
    await comment(two, { body: 'No.', editedTo: '/ao go' })
    await comment(two, { body: '/ao go on' })
    const found = await tracker.recentComments!(since, project)
    expect(found.map(({ issueId, body, isEdited }) => [issueId, body, isEdited])).toEqual([
      [one, '/ao go\nplease', false],
      [two, '/ao go', true],
      [two, '/ao go on', false],
    ])
    expect(new Set(found.map(({ id }) => id)).size).toBe(3)
    expect(found.every(({ author }) => author !== '')).toBe(true)
    expect(await tracker.recentComments!(found.at(-1)!.createdAt, project)).toEqual([])
    await breakDown()
    await expect(tracker.recentComments!(since, project)).rejects.toThrow()
  })
}

function writesIssues(world: () => TrackerWorld): void {
  it('creates an issue that can be read back', async () => {
    const { tracker, project } = world()
    if (!tracker.createIssue) return
    const text = '---\ntitle: not this\n---\n<!-- ao:comment {} -->\nlast line'
    const made = await tracker.createIssue(
      { title: 'New: "quoted" # one', description: text, labels: ['bug'] },
      project,
    )
    const read = await tracker.getIssue(made.id, project)
    expect(read).toMatchObject({ id: made.id, title: 'New: "quoted" # one', state: 'open', labels: ['bug'] })
    expect(read.description.trim()).toBe(text)
  })

  it('changes title, text, labels, state, and adds comments', async () => {
    const { tracker, project, seed } = world()
    if (!tracker.updateIssue) return
    const id = await seed({ title: 'Old', body: 'old', labels: ['bug'] })
    await tracker.updateIssue(id, { title: 'New', description: 'new', labels: ['ui'], removeLabels: ['bug'] }, project)
    expect(await tracker.getIssue(id, project)).toMatchObject({ title: 'New', description: 'new', labels: ['ui'] })
    await tracker.updateIssue(id, { comment: 'Done in #2' }, project)
    await tracker.updateIssue(id, { state: 'closed' }, project)
    expect(await tracker.isCompleted(id, project)).toBe(true)
    await tracker.updateIssue(id, { state: 'open' }, project)
    expect(await tracker.isCompleted(id, project)).toBe(false)
    const { comments } = await tracker.getIssue(id, project)
    if (comments) expect(comments.map(({ body }) => body)).toEqual(['Done in #2'])
  })

  it('refuses to change a missing issue', async () => {
    const { tracker, project, missing } = world()
    if (!tracker.updateIssue) return
    await expect(tracker.updateIssue(missing, { title: 'x' }, project)).rejects.toSatisfy(isIssueNotFoundError)
  })
}
