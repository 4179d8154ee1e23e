import { describe, expect, it } from 'vitest'
import type { ProjectConfig } from '../../contract/config.ts'
import type { PullRef } from '../../contract/pull.ts'
import { HttpApiError } from '../http-api/http-api-error.ts'
import { type ForgePulls, hostedScm } from './hosted-scm.ts'
import type { ForgePull } from './merge-exactly.ts'

const project = { id: 'app' } as ProjectConfig
const pr = { number: 7, url: 'https://forge.test/acme/app/pulls/7' } as PullRef
const names = {
  noun: 'pull request',
  sign: '#',
  repoOf: () => 'acme/app',
  numberIn: (reference: string) => Number(reference.split('/').at(-1)),
}

function scmOf({ isThere }: { isThere: boolean }, status = 404) {
  const refuse = async () => {
    throw new HttpApiError('SCM_FAILED', `Forge answered ${status} to POST /comments: Not Found`, { status })
  }
  const readPull = async () => (isThere ? ({ pr, state: 'open', headSha: 'abc' } as ForgePull) : refuse())
  const acts = { readPull, change: refuse, review: refuse, comment: refuse, reply: refuse, resolve: refuse }
  const forge = { ...acts, names, landing: {}, hint: 'check FORGE_TOKEN' } as unknown as ForgePulls<ForgePull>
  return hostedScm(forge, { env: {}, mergeMethod: undefined } as never)
}

const ACTS: Array<[what: string, act: (scm: ReturnType<typeof scmOf>) => Promise<unknown>, lacks: string]> = [
  ['a comment', (scm) => scm.commentPR!(pr, { body: 'x' }, project), 'takes no comment from this token'],
  ['a reply', (scm) => scm.threads!.reply(pr, { thread: '1-2', body: 'x' }, project), 'no longer has this comment'],
  [
    'a settled thread',
    (scm) => scm.threads!.resolve(pr, { thread: '1-2', resolved: true }, project),
    'no longer has this comment',
  ],
  ['a change', (scm) => scm.closePR!(pr, project), 'cannot be changed with this token'],
]

describe('a forge that answers 404 to', () => {
  it.each(ACTS)(
    '%s lacks it, or the pull request, or the right to it: that is said, with what to do',
    async (_what, act, lacks) => {
      await expect(act(scmOf({ isThere: true }))).rejects.toMatchObject({
        code: 'SCM_FAILED',
        message: `Pull request #7 of acme/app ${lacks}`,
        hint: 'Load it again; if that does not help, check FORGE_TOKEN',
      })
      await expect(act(scmOf({ isThere: false }))).rejects.toMatchObject({
        message: 'There is no pull request #7 in acme/app',
        hint: expect.stringContaining('check FORGE_TOKEN'),
      })
      await expect(act(scmOf({ isThere: true }, 500))).rejects.toThrow('Forge answered 500')
    },
  )
})
