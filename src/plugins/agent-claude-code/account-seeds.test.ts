import { describe, expect, it } from 'vitest'
import { seedAccount } from './account-seeds.ts'

const key = 'sk-0123456789abcdefghijklmnopqrstuvwxyz'
const seeds = { workspacePaths: ['/w/a', '/private/w/a'], apiKey: key }

describe('what the account file must say', () => {
  it('adds every seed to an empty one', () => {
    expect(seedAccount({}, seeds)).toEqual({
      hasCompletedOnboarding: true,
      hasSeenAutoDefaultNudge: true,
      hasSeenAutoModeEntryWarning: true,
      projects: { '/w/a': { hasTrustDialogAccepted: true }, '/private/w/a': { hasTrustDialogAccepted: true } },
      customApiKeyResponses: { approved: [key.slice(-20)] },
    })
  })

  it('keeps everything else, in its order', () => {
    const account = {
      oauthAccount: { a: 1 },
      projects: { '/other': { x: [1] }, '/w/a': { history: ['h'], hasTrustDialogAccepted: false } },
      customApiKeyResponses: { approved: ['old'], rejected: ['bad'] },
      zzz: null,
    }
    const seeded = seedAccount(account, seeds)!
    expect(Object.keys(seeded).slice(0, 4)).toEqual(['oauthAccount', 'projects', 'customApiKeyResponses', 'zzz'])
    expect(seeded).toMatchObject({
      oauthAccount: { a: 1 },
      projects: { '/other': { x: [1] }, '/w/a': { history: ['h'], hasTrustDialogAccepted: true } },
      customApiKeyResponses: { approved: ['old', key.slice(-20)], rejected: ['bad'] },
    })
  })

  it('has nothing to do the second time', () => {
    expect(seedAccount(seedAccount({ a: 1 }, seeds)!, seeds)).toBeNull()
  })

  it('does not overrule a user who refused the key', () => {
    const account = { customApiKeyResponses: { rejected: [key.slice(-20)] } }
    expect(seedAccount(account, seeds)?.customApiKeyResponses).toEqual(account.customApiKeyResponses)
  })

  it('asks for no key when there is none', () => {
    expect(seedAccount({}, { ...seeds, apiKey: undefined })).not.toHaveProperty('customApiKeyResponses')
  })

  it('survives values of other kinds', () => {
    const seeded = seedAccount({ projects: 7, customApiKeyResponses: [] }, seeds)
    expect(seeded).toMatchObject({ projects: { '/w/a': { hasTrustDialogAccepted: true } } })
  })
})
