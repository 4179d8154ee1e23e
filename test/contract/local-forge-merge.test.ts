// Merging on the local forge: the exact commit, atomically, with and without a checkout of the base branch, through crashes.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { advanceCi } from '../../src/forge/advance-ci.ts'
import { mergePull } from '../../src/forge/merge/merge-pull.ts'
import { closePull, type NewReview, reopenPull, resolveComment, reviewPull } from '../../src/forge/pulls/change-pull.ts'
import { diffPull } from '../../src/forge/pulls/diff-pull.ts'
import { observePull, observePulls } from '../../src/forge/pulls/observe-pulls.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { testProgram } from '../support/test-program.ts'
import { createForgeWorld, type ForgeWorld, type ForgeWorldOptions } from './local-forge-world.ts'

const NO_CI = {}
const MERGE_IN_CHILD = testProgram('merge-pull')

describe('merging on the local forge', () => {
  let world: ForgeWorld
  const start = (options: ForgeWorldOptions = {}) => {
    world = createForgeWorld({ config: NO_CI, ...options })
    return world
  }
  afterEach(() => world.cleanup())

  it('S0.29 squashes by default: one commit with the author, title and text of the work', async () => {
    const { forge, push, git } = start()
    await push('feat/1', 'a.txt', 'a\n')
    const head = await push('feat/1', 'b.txt', 'b\n')
    const { pull } = await openPull(forge, { title: 'Add both', body: 'Closes #1', head: 'feat/1' })
    const before = git('rev-parse', 'main')
    const { commit, method } = await mergePull(forge, pull.number)
    expect(method).toBe('squash')
    expect(git('rev-parse', 'main')).toBe(commit)
    expect(git('rev-parse', `${commit}^@`)).toBe(before)
    expect(git('log', '-1', '--format=%B|%an', commit)).toBe('Add both (#1)\n\nCloses #1\n|Test')
    expect(git('rev-parse', 'refs/ao/pulls/app/1')).toBe(head)
    expect(forge.pulls.read(1)).toMatchObject({ state: 'merged', mergeCommit: commit, headSha: head })
    expect(await diffPull(forge, forge.pulls.read(1)!, ['--name-only'])).toBe('a.txt\nb.txt\n')
  })

  it('makes a merge commit, or puts every commit on top again', async () => {
    const { forge, push, pushToBase, git } = start()
    await push('feat/1', 'a.txt', 'a\n')
    const one = await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    await push('feat/2', 'b.txt', 'b\n')
    await push('feat/2', 'c.txt', 'c\n')
    const two = await openPull(forge, { title: 'Two', body: '', head: 'feat/2' })
    const base = await pushToBase('other.txt', 'x\n')
    const merged = await mergePull(forge, one.pull.number, { method: 'merge' })
    expect(git('rev-parse', `${merged.commit}^1`, `${merged.commit}^2`).split('\n')).toEqual([
      base,
      git('rev-parse', 'feat/1'),
    ])
    const rebased = await mergePull(forge, two.pull.number, { method: 'rebase' })
    expect(git('log', '--format=%s', `${merged.commit}..${rebased.commit}`)).toBe('change c.txt\nchange b.txt')
    expect(git('ls-tree', '--name-only', 'main').split('\n').sort()).toEqual([
      'README.md',
      'a.txt',
      'b.txt',
      'c.txt',
      'other.txt',
    ])
  })

  it('finds the repository once, however many pull requests it observes', async () => {
    const { forge, push } = start()
    for (const head of ['feat/1', 'feat/2', 'feat/3']) {
      await push(head, `${head}.txt`, 'a\n')
      await openPull(forge, { title: head, body: '', head })
    }
    let found = 0
    const counting = {
      ...forge,
      repository() {
        found += 1
        return forge.repository()
      },
    }
    expect(await observePulls(counting, forge.pulls.list())).toHaveLength(3)
    expect(found).toBe(1)
  })

  it('names a lock that a power loss left on the base branch, and merges once it is gone', async () => {
    const { forge, push, repo } = start()
    await push('feat/1', 'a.txt', 'a\n')
    const { pull } = await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    const lock = join(repo, '.git', 'refs', 'heads', 'main.lock')
    writeFileSync(lock, '')
    await expect(mergePull(forge, pull.number)).rejects.toMatchObject({ hint: expect.stringContaining(`rm '${lock}'`) })
    rmSync(lock)
    await mergePull(forge, pull.number)
    expect(forge.pulls.read(1)).toMatchObject({ state: 'merged' })
  })

  it('brings a clean checkout of the base branch along, and leaves untracked files alone', async () => {
    const { forge, push, git, repo } = start({ checkedOut: 'main' })
    writeFileSync(join(repo, 'notes.txt'), 'mine')
    await push('feat/1', 'a.txt', 'a\n')
    const { pull } = await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    expect((await mergePull(forge, pull.number)).warnings).toEqual([])
    expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('a\n')
    expect(git('status', '--porcelain')).toBe('?? notes.txt')
  })

  it.each([
    ['a changed file', (repo: string) => writeFileSync(join(repo, 'README.md'), 'changed')],
    ['an untracked file in the way', (repo: string) => writeFileSync(join(repo, 'a.txt'), 'mine')],
    ['a merge that is not finished', (repo: string) => writeFileSync(join(repo, '.git', 'MERGE_HEAD'), '')],
  ])('refuses clearly when the checkout has %s, and touches nothing', async (_what, spoil) => {
    const { forge, push, git, repo } = start({ checkedOut: 'main' })
    await push('feat/1', 'a.txt', 'a\n')
    const { pull } = await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    const before = git('rev-parse', 'main')
    spoil(repo)
    await expect(mergePull(forge, pull.number)).rejects.toMatchObject({ code: 'CHECKOUT_DIRTY' })
    expect(git('rev-parse', 'main')).toBe(before)
    expect(forge.pulls.read(1)?.state).toBe('open')
  })

  it('S0.26 refuses drafts, failing checks, requested changes, and for agents what is not approved', async () => {
    const { forge, push, check } = start({ config: { ci: { commands: [{ name: 'unit', run: 'false' }] } } })
    await push('feat/1', 'a.txt', 'a\n')
    const { pull } = await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    const refusal = (options = {}) =>
      mergePull(forge, pull.number, options).then(
        () => '',
        (error: Error) => error.message,
      )
    expect(await refusal()).toContain('unit (pending)')
    await check('feat/1', 'unit', 'failed')
    expect(await refusal()).toContain('unit (failed)')
    await check('feat/1', 'unit', 'passed')
    await reviewPull(forge, 1, { state: 'changes_requested', body: 'no', comments: [] })
    expect(await refusal()).toContain('changes are requested')
    await push('feat/1', 'a.txt', 'b\n')
    await check('feat/1', 'unit', 'passed')
    expect(await refusal({ needsApproval: true })).toContain('nobody has approved')
    await reviewPull(forge, 1, { state: 'approved', body: '', comments: [] })
    expect(await refusal({ needsApproval: true })).toBe('')
  })

  it('S0.24 a push after requested changes asks for a new review', async () => {
    const { forge, push } = start()
    await push('feat/1', 'a.txt', 'a\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    await reviewPull(forge, 1, {
      state: 'changes_requested',
      body: 'no',
      comments: [{ path: 'a.txt', line: 1, body: 'why' }],
    })
    expect((await observePull(forge, forge.pulls.read(1)!)).review).toBe('changes_requested')
    await push('feat/1', 'a.txt', 'b\n')
    expect((await observePull(forge, forge.pulls.read(1)!)).review).toBe('pending')
    const [comment] = forge.pulls.read(1)!.comments
    const resolved = await resolveComment(forge, 1, { commentId: comment!.id, resolved: true })
    expect(resolved.comments[0]).toMatchObject({ isResolved: true, path: 'a.txt', line: 1 })
  })

  it('T14 an agent cannot approve its own pull request', async () => {
    const { forge, push, context } = start()
    await push('feat/1', 'a.txt', 'a\n')
    const agent = { ...forge, context: { ...context, env: { ...context.env, AO_SESSION: 'app-1' } } }
    await openPull(agent, { title: 'One', body: '', head: 'feat/1' })
    const review: NewReview = { state: 'approved', body: '', comments: [] }
    await expect(reviewPull(agent, 1, review)).rejects.toThrow(/your own pull request/)
    await reviewPull(forge, 1, review)
    expect((await observePull(forge, forge.pulls.read(1)!)).review).toBe('approved')
  })

  it('opens one pull request per branch, none without work, and none from nowhere', async () => {
    const { forge, push, git } = start()
    git('branch', 'feat/empty', 'main')
    await push('feat/1', 'a.txt', 'a\n')
    const open = (head: string) => openPull(forge, { title: 'T', body: '', head })
    await expect(open('feat/empty')).rejects.toThrow('No commits between main and feat/empty')
    await expect(open('feat/none')).rejects.toThrow('there is no branch feat/none')
    const all = await Promise.all([open('feat/1'), open('feat/1'), open('feat/1')])
    expect(all.map(({ pull }) => pull.number)).toEqual([1, 1, 1])
    expect(all.filter(({ created }) => created)).toHaveLength(1)
  })

  it('S0.17 sees what was merged by hand with git, and not a branch that was only reset', async () => {
    const { forge, push, git } = start()
    await push('feat/1', 'a.txt', 'a\n')
    await push('feat/2', 'b.txt', 'b\n')
    for (const head of ['feat/1', 'feat/2']) await openPull(forge, { title: head, body: '', head })
    git('update-ref', 'refs/heads/main', git('rev-parse', 'feat/1'))
    git('update-ref', 'refs/heads/feat/2', git('rev-parse', 'main'))
    const state = async (n: number) => (await observePull(forge, forge.pulls.read(n)!)).state
    expect([await state(1), await state(2)]).toEqual(['merged', 'open'])
    await advanceCi(forge)
    expect(forge.pulls.read(1)?.state).toBe('merged')
  })

  it('distinguishes conflicts from clean merges of many when it asks git for all of them together', async () => {
    const { forge, push, pushToBase, git } = start()
    for (const n of [1, 2, 3, 4]) {
      await push(`feat/${n}`, n === 2 ? 'same.txt' : `${n}.txt`, 'ours\n')
      await openPull(forge, { title: `${n}`, body: '', head: `feat/${n}` })
    }
    await pushToBase('same.txt', 'theirs\n')
    git('branch', '--delete', '--force', 'feat/4')
    const observe = async () => {
      const views = await observePulls(forge, forge.pulls.list())
      return views.map(({ state, hasConflicts }) => [state, hasConflicts])
    }
    expect(await observe()).toEqual([
      ['open', false],
      ['open', true],
      ['open', false],
      ['open', false],
    ])
    git(
      'update-ref',
      'refs/heads/main',
      git('commit-tree', 'feat/1^{tree}', '-p', 'main', '-p', 'feat/1', '-m', 'by hand'),
    )
    expect((await observe()).map(([state]) => state)).toEqual(['merged', 'open', 'open', 'open'])
  })

  it('closes and opens again, and what is merged stays merged', async () => {
    const { forge, push } = start()
    await push('feat/1', 'a.txt', 'a\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    expect((await closePull(forge, 1)).state).toBe('closed')
    await expect(mergePull(forge, 1)).rejects.toMatchObject({ code: 'PR_NOT_MERGEABLE' })
    expect((await reopenPull(forge, 1)).state).toBe('open')
    await mergePull(forge, 1)
    await expect(closePull(forge, 1)).rejects.toThrow('merged already')
  })

  const BEFORE = ['vault.taken', 'vault.checked', 'vault.delivered', 'merge.announced']
  it.each([...BEFORE, 'merge.moved', 'merge.followed', 'merge.recorded'])(
    'killed at %s it is merged or not merged, the record agrees at the next look, and the checkout is whole',
    async (failpoint) => {
      const { forge, push, git, repo, temp, context, project } = start({ checkedOut: 'main' })
      const head = await push('feat/1', 'a.txt', 'a\n')
      await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
      const before = git('rev-parse', 'main')
      const request = JSON.stringify({ project, dataDir: context.dataDir, configDir: context.configDir })
      const env = { ...temp.env, AO_FAILPOINT: failpoint }
      const child = spawnSync(process.execPath, [MERGE_IN_CHILD, request], { env, encoding: 'utf8' })
      expect(child.signal, child.stderr).toBe('SIGKILL')

      const isMoved = git('rev-parse', 'main') !== before
      expect(isMoved).toBe(!BEFORE.includes(failpoint))
      const seen = await observePull(forge, forge.pulls.read(1)!)
      expect(seen.state).toBe(isMoved ? 'merged' : 'open')
      await advanceCi(forge)
      expect(forge.pulls.read(1)).toMatchObject({ state: isMoved ? 'merged' : 'open', merging: null, headSha: head })
      expect(existsSync(join(repo, 'a.txt'))).toBe(isMoved)
      expect(git('status', '--porcelain')).toBe('')
      if (isMoved) return
      await mergePull(forge, 1)
      expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('a\n')
    },
  )

  describe('after a power loss, when the base branch had moved', () => {
    const MERGED = 'merged line\n'
    /** The files that git had begun to write; `isNew`: its index is the new one. */
    async function cut(files: Record<string, string | null>, isNew = false) {
      const { push, git, repo, temp, context, project, forge } = start({ checkedOut: 'main' })
      await push('feat/1', 'a.txt', MERGED)
      await push('feat/1', 'README.md', MERGED, 'feat/1')
      await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
      const request = JSON.stringify({ project, dataDir: context.dataDir, configDir: context.configDir })
      const env = { ...temp.env, AO_FAILPOINT: 'merge.moved' }
      spawnSync(process.execPath, [MERGE_IN_CHILD, request], { env })
      if (isNew) git('reset', '--quiet', '--hard', 'main')
      for (const [name, content] of Object.entries(files))
        if (content === null) rmSync(join(repo, name))
        else writeFileSync(join(repo, name), content)
      return { git, repo, forge }
    }

    it.each([
      ['are there before the index', { 'a.txt': MERGED, 'README.md': MERGED }, false],
      ['are empty and zeroed', { 'a.txt': '', 'README.md': '\0'.repeat(MERGED.length) }, false],
      ['are torn below the new index', { 'a.txt': 'merg', 'README.md': `\0\0${MERGED.slice(2)}` }, true],
      ['are missing below the new index', { 'a.txt': null }, true],
    ])('files of its checkout that %s are written again', async (_what, files, isNew) => {
      const { git, repo, forge } = await cut(files, isNew)
      await advanceCi(forge)
      expect(forge.pulls.read(1)).toMatchObject({ state: 'merged' })
      expect(git('status', '--porcelain')).toBe('')
      for (const name of ['a.txt', 'README.md']) expect(readFileSync(join(repo, name), 'utf8')).toBe(MERGED)
    })

    it.each([false, true])('what somebody has written there since stays (below the new index: %s)', async (isNew) => {
      const { repo, forge } = await cut({ 'a.txt': 'mine\n', 'README.md': `${MERGED}and mine\n` }, isNew)
      await advanceCi(forge)
      expect(forge.pulls.read(1)).toMatchObject({ state: 'merged' })
      expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('mine\n')
      expect(readFileSync(join(repo, 'README.md'), 'utf8')).toBe(`${MERGED}and mine\n`)
    })

    it('what somebody has taken out of a file, or done to its mode, stays', async () => {
      const { git, repo, forge } = await cut({}, true)
      const later = new Date(Date.now() + 60_000)
      writeFileSync(join(repo, 'a.txt'), 'merged')
      utimesSync(join(repo, 'a.txt'), later, later)
      chmodSync(join(repo, 'README.md'), 0o755)
      await advanceCi(forge)
      expect(forge.pulls.read(1)).toMatchObject({ state: 'merged' })
      expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('merged')
      expect(
        git('status', '--porcelain')
          .split('\n')
          .map((line) => line.trim()),
      ).toEqual(['M README.md', 'M a.txt'])
    })

    it('a branch that somebody has switched to since gets nothing of it', async () => {
      const { git, forge } = await cut({})
      git('checkout', '--quiet', '--force', '-b', 'wip', 'main~1')
      await advanceCi(forge)
      expect(forge.pulls.read(1)).toMatchObject({ state: 'merged' })
      expect(git('status', '--porcelain')).toBe('')
    })

    it('and where it keeps git from following, nothing is taken away', async () => {
      const { git, repo, forge } = await cut({ 'a.txt': MERGED, 'README.md': 'mine\n' })
      await advanceCi(forge)
      expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe(MERGED)
      expect(git('status', '--porcelain')).toContain('README.md')
    })

    it("git's lock on the index is named, and the checkout follows when it is gone", async () => {
      const { git, repo, forge } = await cut({ 'a.txt': MERGED })
      const lock = join(repo, '.git', 'index.lock')
      writeFileSync(lock, '')
      await expect(advanceCi(forge)).rejects.toMatchObject({ hint: expect.stringContaining(`rm '${lock}'`) })
      rmSync(lock)
      await advanceCi(forge)
      expect(git('status', '--porcelain')).toBe('')
    })
  })

  it("names git's lock on the index of the checkout before it merges, and not as somebody's work", async () => {
    const { forge, push, repo } = start({ checkedOut: 'main' })
    await push('feat/1', 'a.txt', 'a\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    const lock = join(repo, '.git', 'index.lock')
    writeFileSync(lock, '')
    await expect(mergePull(forge, 1)).rejects.toMatchObject({ hint: expect.stringContaining(`rm '${lock}'`) })
    rmSync(lock)
    await mergePull(forge, 1)
    expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('a\n')
  })

  it('G22 never merges a commit that was not reviewed, while another process moves the head', async () => {
    const { forge, push, git, repo, temp } = start()
    const base = git('rev-parse', 'main')
    const checked = await push('feat/1', 'a.txt', 'checked\n')
    const other = await push('feat/1', 'a.txt', 'slipped in\n')
    const loop = 'while :; do git update-ref refs/heads/feat/1 $0; git update-ref refs/heads/feat/1 $1; done'
    const mover = spawn('sh', ['-c', loop, checked, other], { cwd: repo, env: temp.env, stdio: 'ignore' })
    let merged = 0
    try {
      for (let round = 0; round < 25; round++) {
        const { pull } = await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
        const { commit } = await mergePull(forge, pull.number, { expected: checked }).catch(() => ({ commit: null }))
        if (commit === null) continue
        merged++
        expect(git('show', 'main:a.txt')).toBe('checked')
        expect(forge.pulls.read(pull.number)).toMatchObject({ state: 'merged', headSha: checked })
        git('update-ref', 'refs/heads/main', base)
      }
    } finally {
      mover.kill('SIGKILL')
    }
    const open = forge.pulls.list().filter(({ state }) => state === 'open')
    expect(forge.pulls.list().length - open.length).toBe(merged)
    expect(git('rev-parse', 'main')).toBe(base)
  })

  it('survives a torn line and continues behind it', async () => {
    const { forge, push } = start()
    await push('feat/1', 'a.txt', 'a\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    const file = join(forge.pulls.directory, '1', 'events.jsonl')
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"type":"closed","headS`)
    mkdirSync(join(forge.pulls.directory, '2'))
    expect(forge.pulls.list().map(({ number, state }) => [number, state])).toEqual([[1, 'open']])
    await reviewPull(forge, 1, { state: 'approved', body: '', comments: [] })
    expect(forge.pulls.read(1)?.reviews).toHaveLength(1)
    await push('feat/2', 'b.txt', 'b\n')
    expect((await openPull(forge, { title: 'Two', body: '', head: 'feat/2' })).pull.number).toBe(3)
  })
})
