import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../../../test/support/git-repo.ts'
import { openRepository, type Repository } from '../../git/repository.ts'
import { findStoreLeftovers } from '../../store/leftovers.ts'
import { projectPaths } from '../../store/paths.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { announceImport, creationOf, interruptedImports, onlyImport, settleImports } from './import-intent.ts'

const ENV = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.invalid',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.invalid',
}
const BRANCH = 'refs/heads/theirs'

let root: string
let repo: string
let repository: Repository
let store: SessionStore
let archived: string[]
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ao-import-'))
  repo = createRepo(join(root, 'repo'), ENV)
  repository = openRepository(repo, ENV)
  archived = []
  const paths = projectPaths(join(root, 'data'))
  mkdirSync(paths.locks, { recursive: true })
  store = {
    paths,
    list: () => [],
    listArchived: () => archived.map((id) => ({ id })),
    read: () => null,
    readArchived: (id: string) => (archived.includes(id) ? {} : null),
    readHistory: () => ({ events: [] }),
  } as unknown as SessionStore
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const refs = () => git(repo, ENV, 'for-each-ref', '--format=%(refname)').split('\n')
const stray = () => findStoreLeftovers(store, []).map(({ what }) => what)

/** As a killed import leaves it: with its files, and with its refs if it came so far. */
function interrupt({ hasRefs }: { hasRefs: boolean }): void {
  const intent = announceImport(store, 'app-1', [{ ref: BRANCH, commit: git(repo, ENV, 'rev-parse', 'main') }])!
  if (hasRefs) gitStdin(creationOf(intent))
  mkdirSync(store.paths.stateDir('app-1'), { recursive: true })
  const file = join(store.paths.imports, 'app-1.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), owner: '1:0:gone' }))
}

function gitStdin(input: string): void {
  writeFileSync(join(root, 'refs'), input)
  git(repo, ENV, '-c', `alias.refs=!git update-ref --stdin < '${join(root, 'refs')}'`, 'refs')
}

describe('an import', () => {
  it('that was interrupted is reported, and undone with its refs and files', async () => {
    interrupt({ hasRefs: true })
    expect(refs()).toHaveLength(3)
    const [found, ...others] = interruptedImports(store, () => repository)
    expect([found?.what, others]).toEqual(['the import of app-1 was interrupted; import it again afterwards', []])
    await found!.remove!()
    expect(refs()).toEqual(['refs/heads/main'])
    expect([existsSync(store.paths.stateDir('app-1')), readdirSync(store.paths.imports)]).toEqual([false, []])
  })

  it('that was interrupted before it made a branch leaves one that somebody else made, at the same commit', async () => {
    interrupt({ hasRefs: false })
    git(repo, ENV, 'branch', 'theirs')
    await settleImports(store, repository)
    expect(refs()).toEqual(['refs/heads/main', BRANCH])
    expect(readdirSync(store.paths.imports)).toEqual([])
  })

  it('that was killed in its last moment keeps everything but its note', async () => {
    interrupt({ hasRefs: true })
    archived = ['app-1']
    expect(interruptedImports(store, () => repository)[0]?.what).toContain('is complete')
    await settleImports(store, repository)
    expect(refs()).toEqual(['refs/heads/main', BRANCH])
    expect([existsSync(store.paths.stateDir('app-1')), readdirSync(store.paths.imports)]).toEqual([true, []])
  })

  it('under way keeps its files from being tidied up', () => {
    announceImport(store, 'app-1', [])
    mkdirSync(store.paths.stateDir('app-1'), { recursive: true })
    mkdirSync(store.paths.stateDir('app-2'), { recursive: true })
    expect(stray()).toEqual(['private files of a session that was never made'])
    expect(interruptedImports(store, () => repository)).toEqual([])
  })

  it('is refused while another one is under way, which it names', async () => {
    const second = onlyImport(repository, () =>
      onlyImport(repository, async () => expect.unreachable('two imports at once')),
    )
    await expect(second).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      message: `Process ${process.pid} is importing into the same repository`,
    })
    expect(await onlyImport(repository, async () => 'done')).toBe('done')
  })
})
