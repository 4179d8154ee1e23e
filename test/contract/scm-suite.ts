// The contract of every forge, whatever is behind it. A plugin's test supplies its own world and runs this.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ProjectConfig } from '../../src/contract/config.ts'
import type { Pull, PullRef } from '../../src/contract/pull.ts'
import { replyInThread, resolveThread } from '../../src/manager/pulls/review-threads.ts'
import type { PrReading, Scm } from '../../src/slots/scm.ts'

export interface SeedReview {
  state: 'approved' | 'changes_requested' | 'commented'
  body?: string
  comments?: Array<{ path: string; line: number; body: string }>
  /** Someone who does not belong to the repository, where the forge knows such people. */
  byStranger?: boolean
}

/** The forge as its people use it; nothing here goes through the plugin. */
export interface ScmWorld {
  scm: Scm
  project: ProjectConfig
  /** One more commit on the branch (created when missing, from `main` or `from`) with this file. Resolves with the new head. */
  push(branch: string, file: string, content: string, from?: string): Promise<string>
  openPR(pr: { branch: string; title: string; draft?: boolean }): Promise<PullRef & { number: number }>
  /** The result of a check on the current head of the branch; `log` is what it printed. */
  check(branch: string, name: string, result: 'passed' | 'failed' | 'running', log?: string): Promise<void>
  review(prNumber: number, review: SeedReview): Promise<void>
  close(prNumber: number): Promise<void>
  /** Gives the pull request another base branch, as its agent can. */
  retarget(prNumber: number, base: string): Promise<void>
  /** Commits to the base branch. */
  pushToBase(file: string, content: string): Promise<string>
  /** What the base branch has in this file; null: nothing. */
  readBase(file: string): Promise<string | null>
  baseHead(): Promise<string>
  /** A checkout of the project as it is now; what is pushed later is not in it. Absent: the project's own path. */
  checkout?(): string
  /** From now on the forge cannot be asked. */
  breakDown(): Promise<void>
  cleanup(): Promise<void>
}

/** The checks that `check` may name. */
const CHECK_NAMES = ['unit', 'lint'] as const

export function describeScm(name: string, createWorld: () => Promise<ScmWorld>): void {
  describe(`scm ${name}`, () => {
    let world: ScmWorld
    beforeEach(async () => {
      world = await createWorld()
    })
    afterEach(() => world.cleanup())

    findsPullRequests(() => world)
    readsChecks(() => world)
    readsReviews(() => world)
    answersInThreads(() => world)
    readsManyAtOnce(() => world)
    merges(() => world)
    lists(() => world)
    reviews(() => world)
  })
}

/** The snapshot of one branch's pull request, as the loop gets it. */
async function readPull(world: ScmWorld, branch: string, pr: PullRef | null = null): Promise<Pull> {
  const readings = await world.scm.readPullRequests!([{ sessionId: 'app-1', branch, pr }], world.project)
  const reading = readings.get('app-1')
  if (reading?.kind !== 'read') throw new Error(`not read: ${JSON.stringify(reading)}`)
  return reading.snapshot
}

/** Forges know when something happened to the second. */
async function laterSecond(): Promise<void> {
  const now = Math.floor(Date.now() / 1_000)
  await vi.waitFor(() => expect(Math.floor(Date.now() / 1_000)).toBeGreaterThan(now), { timeout: 2_000, interval: 20 })
}

function findsPullRequests(world: () => ScmWorld): void {
  it('S0.14 finds the pull request of a branch, and none where there is none', async () => {
    const { scm, project, push, openPR } = world()
    await push('feat/1', 'one.txt', '1\n')
    const read = async (branch: string | null) =>
      (await scm.readPullRequests!([{ sessionId: 'app-1', branch, pr: null }], project)).get('app-1')
    expect(await read('feat/1')).toEqual({ kind: 'none' })
    const { number, url } = await openPR({ branch: 'feat/1', title: 'One' })
    const pr = { number, url, branch: 'feat/1', baseBranch: 'main' }
    expect(await read('feat/1')).toMatchObject({ kind: 'read', snapshot: { pr } })
    expect(await read('feat/other')).toEqual({ kind: 'none' })
    expect(await read(null)).toEqual({ kind: 'none' })
  })

  it('S2.73 says open, merged and closed', async () => {
    const { scm, project, push, openPR, close } = world()
    await push('feat/1', 'one.txt', '1\n')
    const pr = await openPR({ branch: 'feat/1', title: 'One' })
    expect(await scm.getPRState(pr, project)).toBe('open')
    await close(pr.number)
    expect(await scm.getPRState(pr, project)).toBe('closed')
    expect((await readPull(world(), 'feat/1', pr)).state).toBe('closed')
  })

  it('resolves a number, #number and URL, and refuses what is none', async () => {
    const { scm, project, push, openPR } = world()
    if (!scm.resolvePR) return
    await push('feat/1', 'one.txt', '1\n')
    const pr = await openPR({ branch: 'feat/1', title: 'One' })
    for (const reference of [String(pr.number), `#${pr.number}`, pr.url]) {
      expect(await scm.resolvePR(reference, project)).toMatchObject({ number: pr.number, branch: 'feat/1' })
    }
    await expect(scm.resolvePR('4711', project)).rejects.toThrow()
    await expect(scm.resolvePR('no such thing', project)).rejects.toThrow()
  })

  it('sees a draft, and does not call it mergeable', async () => {
    await world().push('feat/1', 'one.txt', '1\n')
    await world().openPR({ branch: 'feat/1', title: 'One', draft: true })
    const snapshot = await readPull(world(), 'feat/1')
    expect(snapshot.pr.isDraft).toBe(true)
    expect(snapshot.mergeable).not.toBe(true)
  })
}

function readsChecks(world: () => ScmWorld): void {
  it('S0.15 S0.16 distinguishes failing, passing and pending, check by check', async () => {
    const head = await world().push('feat/1', 'one.txt', '1\n')
    await world().openPR({ branch: 'feat/1', title: 'One' })
    await world().check('feat/1', 'unit', 'running')
    expect(await readPull(world(), 'feat/1')).toMatchObject({ headSha: head, ci: 'pending' })
    await world().check('feat/1', 'unit', 'failed', 'boom')
    await world().check('feat/1', 'lint', 'passed')
    const failing = await readPull(world(), 'feat/1')
    expect(failing.ci).toBe('failing')
    expect(failing.checks.map(({ name, status }) => [name, status]).sort()).toEqual([
      ['lint', 'passed'],
      ['unit', 'failed'],
    ])
    await world().check('feat/1', 'unit', 'passed')
    expect((await readPull(world(), 'feat/1')).ci).toBe('passing')
  })

  it('S0.20 forgets the failure of a commit that was pushed over', async () => {
    await world().push('feat/1', 'one.txt', '1\n')
    await world().openPR({ branch: 'feat/1', title: 'One' })
    await world().check('feat/1', 'unit', 'failed')
    await world().check('feat/1', 'lint', 'passed')
    const head = await world().push('feat/1', 'one.txt', '2\n')
    const snapshot = await readPull(world(), 'feat/1')
    expect(snapshot.headSha).toBe(head)
    expect(snapshot.ci).not.toBe('failing')
  })

  it('S0.18 gives the end of a failed check, bounded', async () => {
    const { scm, project } = world()
    await world().push('feat/1', 'one.txt', '1\n')
    const pr = await world().openPR({ branch: 'feat/1', title: 'One' })
    const log = `${'noise\n'.repeat(50_000)}AssertionError: expected 1 to be 2\n`
    await world().check('feat/1', 'unit', 'failed', log)
    const failed = (await readPull(world(), 'feat/1')).checks.find(({ name }) => name === 'unit')!
    const end = await scm.getCheckLog!(pr, failed, project)
    expect(end).toContain('AssertionError: expected 1 to be 2')
    expect(end.length).toBeLessThan(100_000)
  })
}

function readsReviews(world: () => ScmWorld): void {
  it('S0.21 S0.26 is mergeable with approval, passing checks and no conflicts', async () => {
    const head = await world().push('feat/1', 'one.txt', '1\n')
    const pr = await world().openPR({ branch: 'feat/1', title: 'One' })
    for (const name of CHECK_NAMES) await world().check('feat/1', name, 'passed')
    expect((await readPull(world(), 'feat/1')).review).not.toBe('approved')
    await world().review(pr.number, { state: 'approved', body: 'fine' })
    const snapshot = await readPull(world(), 'feat/1')
    expect(snapshot).toMatchObject({ headSha: head, ci: 'passing', review: 'approved', hasConflicts: false })
    expect(snapshot.mergeable).toBe(true)
    expect(snapshot.reviews.at(-1)).toMatchObject({ state: 'approved', commit: head })
  })

  it('S0.25 says approved while a check is still to come', async () => {
    await world().push('feat/1', 'one.txt', '1\n')
    const pr = await world().openPR({ branch: 'feat/1', title: 'One' })
    await world().check('feat/1', 'unit', 'passed')
    await world().check('feat/1', 'lint', 'running')
    await world().review(pr.number, { state: 'approved' })
    expect(await readPull(world(), 'feat/1')).toMatchObject({ review: 'approved', ci: 'pending' })
  })

  it('S0.22 S0.23 gives the comments of a review with file, line and author', async () => {
    await world().push('feat/1', 'one.txt', 'a\nb\n')
    const pr = await world().openPR({ branch: 'feat/1', title: 'One' })
    await world().review(pr.number, {
      state: 'changes_requested',
      body: 'Two things',
      comments: [{ path: 'one.txt', line: 2, body: 'Say c here' }],
    })
    const snapshot = await readPull(world(), 'feat/1')
    expect(snapshot.review).toBe('changes_requested')
    const review = snapshot.reviews.find(({ state }) => state === 'changes_requested')!
    expect(review.body).toBe('Two things')
    expect(review.author.login).not.toBe('')
    const comment = snapshot.comments.find(({ body }) => body === 'Say c here')!
    expect(comment).toMatchObject({ path: 'one.txt', line: 2, reviewId: review.id, isResolved: false })
  })

  it.each([
    ['only a text', []],
    ['a comment on a line', [{ path: 'one.txt', line: 1, body: 'Say c here' }]],
  ])('S0.24 waits for the reviewer again once the agent has pushed: %s', async (_what, comments) => {
    await world().push('feat/1', 'one.txt', '1\n')
    const pr = await world().openPR({ branch: 'feat/1', title: 'One' })
    await world().review(pr.number, { state: 'changes_requested', body: 'Make it two', comments })
    expect((await readPull(world(), 'feat/1')).review).toBe('changes_requested')
    const head = await world().push('feat/1', 'one.txt', '2\n')
    expect(await readPull(world(), 'feat/1')).toMatchObject({ headSha: head, review: 'pending' })
    await world().review(pr.number, { state: 'changes_requested', body: 'Make it three', comments: [] })
    expect((await readPull(world(), 'feat/1')).review).toBe('changes_requested')
  })

  it('an approval of an older commit does not make a newer one approved and mergeable', async () => {
    await world().push('feat/1', 'one.txt', '1\n')
    const pr = await world().openPR({ branch: 'feat/1', title: 'One' })
    await world().review(pr.number, { state: 'approved' })
    const head = await world().push('feat/1', 'one.txt', 'other\n')
    const snapshot = await readPull(world(), 'feat/1')
    const approvals = snapshot.reviews.filter(({ state, commit }) => state === 'approved' && commit === head)
    expect(approvals).toEqual([])
  })

  it('an approval belongs to the base it was given on: retargeted, the same head needs another', async () => {
    await world().push('hidden', 'secret.txt', 'nobody saw this\n')
    await world().push('feat/1', 'one.txt', '1\n', 'hidden')
    const pr = await world().openPR({ branch: 'feat/1', title: 'One' })
    for (const name of CHECK_NAMES) await world().check('feat/1', name, 'passed')
    await world().retarget(pr.number, 'hidden')
    await laterSecond()
    await world().review(pr.number, { state: 'approved' })
    expect((await readPull(world(), 'feat/1', pr)).review).toBe('approved')
    await world().retarget(pr.number, 'main')
    const snapshot = await readPull(world(), 'feat/1', pr)
    expect(snapshot).toMatchObject({ review: 'pending', pr: { baseBranch: 'main' } })
    await laterSecond()
    await world().review(pr.number, { state: 'approved' })
    expect((await readPull(world(), 'feat/1', pr)).review).toBe('approved')
  })

  it('sees conflicts with the base branch', async () => {
    await world().push('feat/1', 'same.txt', 'ours\n')
    await world().openPR({ branch: 'feat/1', title: 'One' })
    expect((await readPull(world(), 'feat/1')).hasConflicts).toBe(false)
    await world().pushToBase('same.txt', 'theirs\n')
    const snapshot = await readPull(world(), 'feat/1')
    expect(snapshot.hasConflicts).toBe(true)
    expect(snapshot.mergeable).toBe(false)
  })
}

function answersInThreads(world: () => ScmWorld): void {
  it('answers in a thread as the agent and as a person, and settles it', async () => {
    const { scm, project, push, openPR, review } = world()
    await push('feat/1', 'one.txt', 'a\nb\n')
    const pr = await openPR({ branch: 'feat/1', title: 'One' })
    const comments = [{ path: 'one.txt', line: 2, body: 'Say c here' }]
    await review(pr.number, { state: 'changes_requested', body: 'One thing', comments })
    const threadOf = async (body: string) =>
      (await readPull(world(), 'feat/1', pr)).comments.find((one) => one.body === body)
    const first = (await threadOf('Say c here'))!
    expect(first).toMatchObject({ isReply: false, thread: expect.any(String) })
    const target = { scm, project, pr }
    const agent = { kind: 'agent', session: 'app-1' } as const
    await replyInThread(target, { thread: first.thread!, body: 'It is c now.', writer: agent })
    await replyInThread(target, { thread: first.id, body: 'Thanks, and d?', writer: { kind: 'person' } })
    const { comments: all } = await readPull(world(), 'feat/1', pr)
    const lines = all.filter(({ thread }) => thread === first.thread)
    const place = { path: 'one.txt', line: 2, isResolved: false }
    expect(lines).toMatchObject([
      { body: 'Say c here', isReply: false, ...place },
      { body: 'It is c now.', isReply: true, ...place },
      { body: 'Thanks, and d?', isReply: true, isOwn: false, ...place },
    ])
    // The local forge goes by the environment, which is a person's here.
    if (scm.threads!.recordsWriter !== true) expect(lines[1]).toMatchObject({ isAgent: true, isOwn: true })
    await expect(replyInThread(target, { thread: 'PRRT_x~y~1~1', body: 'x', writer: agent })).rejects.toThrow(
      /no thread/,
    )
    const settled = await resolveThread(target, { thread: first.thread!, resolved: true }).catch((error) => error)
    // Forgejo has no way to do it from outside, and says where to do it.
    if (settled instanceof Error) return void expect(settled.message).toContain('cannot settle')
    expect((await threadOf('Thanks, and d?'))?.isResolved).toBe(true)
    await resolveThread(target, { thread: first.id, resolved: false })
    expect((await threadOf('Thanks, and d?'))?.isResolved).toBe(false)
  })
}

function readsManyAtOnce(world: () => ScmWorld): void {
  it('reads many at once: those there are, those there are not', async () => {
    const { scm, project, push, openPR } = world()
    for (const n of [1, 2, 3]) {
      await push(`feat/${n}`, `${n}.txt`, 'x\n')
      if (n < 3) await openPR({ branch: `feat/${n}`, title: `Number ${n}` })
    }
    const queries = [1, 2, 3, 4].map((n) => ({ sessionId: `app-${n}`, branch: `feat/${n}`, pr: null }))
    const readings = await scm.readPullRequests!([...queries, { sessionId: 'bare', branch: null, pr: null }], project)
    const kinds = Object.fromEntries([...readings].map(([id, { kind }]) => [id, kind]))
    expect(kinds).toEqual({ 'app-1': 'read', 'app-2': 'read', 'app-3': 'none', 'app-4': 'none', bare: 'none' })
    const titles = [...readings.values()].flatMap((one) => (one.kind === 'read' ? [one.snapshot.pr.title] : []))
    expect(titles).toEqual(['Number 1', 'Number 2'])
  })

  it('a forge that cannot be asked is unknown, never an exception and never none', async () => {
    const { scm, project, push, openPR, breakDown } = world()
    await push('feat/1', 'one.txt', '1\n')
    const pr = await openPR({ branch: 'feat/1', title: 'One' })
    await breakDown()
    const readings = await scm.readPullRequests!([{ sessionId: 'app-1', branch: 'feat/1', pr }], project)
    expect(readings.get('app-1')).toMatchObject({ kind: 'unknown' } satisfies Partial<PrReading>)
    await expect(scm.getPRState(pr, project)).rejects.toThrow()
  })
}

function merges(world: () => ScmWorld): void {
  it('S0.17 S0.28 S0.29 merges the head that was named', async () => {
    const { scm, project } = world()
    const head = await world().push('feat/1', 'one.txt', '1\n')
    const pr = await world().openPR({ branch: 'feat/1', title: 'One' })
    for (const name of CHECK_NAMES) await world().check('feat/1', name, 'passed')
    const { commit } = await scm.mergePR!(pr, { sha: head }, project)
    expect(await world().readBase('one.txt')).toBe('1\n')
    if (commit !== null) expect(await world().baseHead()).toBe(commit)
    expect(await scm.getPRState(pr, project)).toBe('merged')
    expect((await readPull(world(), 'feat/1', pr)).state).toBe('merged')
  })

  it('T14 refuses when the head has moved since it was reviewed', async () => {
    const { scm, project } = world()
    const before = await world().push('feat/1', 'one.txt', 'checked\n')
    const pr = await world().openPR({ branch: 'feat/1', title: 'One' })
    for (const name of CHECK_NAMES) await world().check('feat/1', name, 'passed')
    await world().push('feat/1', 'one.txt', 'slipped in\n')
    await expect(scm.mergePR!(pr, { sha: before }, project)).rejects.toThrow()
    expect(await world().readBase('one.txt')).toBeNull()
    expect(await scm.getPRState(pr, project)).toBe('open')
  })

  it('changes what a pull request is for, as often as it is asked', async () => {
    const { scm, project } = world()
    // Without it, stacks of sessions are merged by hand there.
    if (!scm.retargetPR) return
    await world().push('feat/1', 'one.txt', '1\n')
    await world().push('feat/2', 'two.txt', '2\n')
    const pr = await world().openPR({ branch: 'feat/2', title: 'Two' })
    await scm.retargetPR(pr, 'feat/1', project)
    await scm.retargetPR(pr, 'feat/1', project)
    expect((await readPull(world(), 'feat/2', pr)).pr.baseBranch).toBe('feat/1')
    await scm.retargetPR(pr, project.defaultBranch, project)
    expect((await readPull(world(), 'feat/2', pr)).pr.baseBranch).toBe(project.defaultBranch)
  })

  it('refuses a pull request with conflicts and one that is closed', async () => {
    const { scm, project } = world()
    const head = await world().push('feat/1', 'same.txt', 'ours\n')
    const pr = await world().openPR({ branch: 'feat/1', title: 'One' })
    for (const name of CHECK_NAMES) await world().check('feat/1', name, 'passed')
    await world().pushToBase('same.txt', 'theirs\n')
    await expect(scm.mergePR!(pr, { sha: head }, project)).rejects.toThrow()
    expect(await world().readBase('same.txt')).toBe('theirs\n')
    await scm.closePR!(pr, project)
    expect(await scm.getPRState(pr, project)).toBe('closed')
    await expect(scm.mergePR!(pr, { sha: head }, project)).rejects.toThrow()
  })
}

function lists(world: () => ScmWorld): void {
  it('lists pull requests with what is known about each, newest first, and at most as many as asked for', async () => {
    const { scm, project, push, openPR, close } = world()
    for (const n of [1, 2, 3]) {
      await push(`feat/${n}`, `${n}.txt`, 'x\n')
      const { number } = await openPR({ branch: `feat/${n}`, title: `Number ${n}` })
      if (n === 2) await close(number)
    }
    const titles = async (state: 'open' | 'all', limit = 10) =>
      (await scm.listPRs!({ state, limit }, project)).map(({ pr }) => pr.title)
    expect(await titles('open')).toEqual(['Number 3', 'Number 1'])
    expect(await titles('all')).toEqual(['Number 3', 'Number 2', 'Number 1'])
    expect(await titles('all', 2)).toEqual(['Number 3', 'Number 2'])
    const [newest] = await scm.listPRs!({ state: 'open', limit: 1 }, project)
    expect(newest).toMatchObject({ state: 'open', pr: { branch: 'feat/3' }, author: expect.any(String) })
    await world().breakDown()
    await expect(scm.listPRs!({ state: 'open', limit: 10 }, project)).rejects.toThrow()
  })

  it('knows the commits of the change, also when they are not on this machine yet', async () => {
    const { scm, push, openPR, pushToBase } = world()
    const project = { ...world().project, path: world().checkout?.() ?? world().project.path }
    const from = await pushToBase('before.txt', 'there already\n')
    const to = await push('feat/1', 'one.txt', '1\n')
    const pr = await openPR({ branch: 'feat/1', title: 'One' })
    await pushToBase('after.txt', 'not part of it\n')
    expect(await scm.readRange!(await readPull(world(), 'feat/1', pr), project)).toEqual({ from, to })
  })
}

function reviews(world: () => ScmWorld): void {
  it('takes a review of the head that was read, with comments on lines', async () => {
    const { scm, project, push, openPR } = world()
    const head = await push('feat/1', 'one.txt', 'a\nb\n')
    const pr = await openPR({ branch: 'feat/1', title: 'One' })
    const comments = [{ path: 'one.txt', line: 2, body: 'Say c here' }]
    const given = { state: 'commented', body: 'Nearly', comments, head } as const
    expect(await scm.reviewPR!(pr, given, project)).toMatchObject({ state: 'commented', commit: head })
    const pull = await readPull(world(), 'feat/1', pr)
    expect(pull.comments.find(({ body }) => body.startsWith('Say c here'))).toMatchObject({ path: 'one.txt', line: 2 })
    const approved = await scm.reviewPR!(pr, { state: 'approved', body: '', comments: [], head }, project).catch(
      (error: Error) => error,
    )
    // GitHub lets nobody approve their own.
    if (approved instanceof Error) expect(approved.message).toMatch(/your own pull request/)
    else expect(approved).toMatchObject({ state: 'approved', commit: head })
  })

  it('T14 refuses a review of a commit that is no longer the head, and of a closed pull request', async () => {
    const { scm, project, push, openPR } = world()
    const before = await push('feat/1', 'one.txt', 'read\n')
    const pr = await openPR({ branch: 'feat/1', title: 'One' })
    const head = await push('feat/1', 'one.txt', 'slipped in\n')
    const review = (sha: string) => scm.reviewPR!(pr, { state: 'approved', body: '', comments: [], head: sha }, project)
    await expect(review(before)).rejects.toMatchObject({ code: 'PR_HEAD_MOVED' })
    expect((await readPull(world(), 'feat/1', pr)).reviews).toEqual([])
    await scm.closePR!(pr, project)
    await expect(review(head)).rejects.toMatchObject({ code: 'PR_NOT_MERGEABLE' })
    await scm.reopenPR!(pr, project)
    expect(await scm.getPRState(pr, project)).toBe('open')
  })

  it('takes a comment on the whole and one on a line', async () => {
    const { scm, project, push, openPR } = world()
    await push('feat/1', 'one.txt', 'a\nb\n')
    const pr = await openPR({ branch: 'feat/1', title: 'One' })
    const signed = (body: string) => `${body}\n\n<!-- ao: written by a person -->`
    const isSigned = scm.threads?.recordsWriter !== true
    const text = (body: string) => (isSigned ? signed(body) : body)
    await scm.commentPR!(pr, { body: text('In general') }, project)
    const made = await scm.commentPR!(pr, { body: text('Here'), path: 'one.txt', line: 1 }, project)
    expect(made).toMatchObject({ path: 'one.txt', line: 1, isResolved: false })
    const { comments } = await readPull(world(), 'feat/1', pr)
    // Also where the agent has the same account: the signature says that a person wrote it.
    expect(comments).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ body: 'In general' }),
        expect.objectContaining({ body: 'Here', path: 'one.txt', line: 1 }),
      ]),
    )
  })
}
