// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { describe, expect, it } from 'vitest'
import { changesOf, readDraft, type SettingsField } from './draft.ts'
import { notifierFields, projectFields, type Rule, reactionFields, routingFields } from './fields.ts'

const content = {
  projects: { app: { path: '.', tracker: { plugin: 'linear', teamId: 'x' }, postCreate: ['a', 'b'] } },
  notifiers: { chat: { plugin: 'ntfy', token: '[hidden]', topic: '${TOPIC}' } },
}
const RULE = { auto: true, action: 'notify', priority: 'info', thresholdMs: 0 } as Rule
const offer = { content, plugins: { tracker: ['linear', 'local'] } }

/** What is typed into a form that was opened on `content`. */
function typed(fields: SettingsField[], values: Record<string, string>) {
  return changesOf(content, fields, { ...readDraft(content, fields), ...values })
}

describe('a form of settings', () => {
  it('changes nothing that was not typed, whatever the file says', () => {
    const forms = [
      projectFields(offer, 'app'),
      notifierFields('chat', 'ntfy'),
      reactionFields(offer, null, 'ci-failed', RULE),
    ]
    expect(forms.flatMap((fields) => typed(fields, {}))).toEqual([])
  })

  it('has one label for each field: what is typed is kept by it', () => {
    for (const fields of [
      projectFields(offer, 'app'),
      reactionFields(offer, 'app', 'x', RULE),
      routingFields(['desktop']),
    ])
      expect(new Set(fields.map(({ label }) => label)).size).toBe(fields.length)
  })

  it('writes numbers, lists, switches and removals as the file has them, and leaves to the server what it cannot read', () => {
    const reaction = reactionFields(offer, null, 'ci-failed', RULE)
    expect(
      typed(reaction, {
        'By itself': 'false',
        'Tries before a person is notified': '3',
        'A person is notified after': '30m',
      }),
    ).toEqual([
      { path: ['reactions', 'ci-failed', 'auto'], value: false },
      { path: ['reactions', 'ci-failed', 'retries'], value: 3 },
      { path: ['reactions', 'ci-failed', 'escalateAfter'], value: '30m' },
    ])
    const project = projectFields(offer, 'app')
    expect(typed(project, { 'Commands that prepare a new worktree': 'a\n\nc\n' })).toEqual([
      { path: ['projects', 'app', 'postCreate'], value: ['a', 'c'] },
    ])
    expect(typed(project, { 'Commands that prepare a new worktree': '' })).toEqual([
      { path: ['projects', 'app', 'postCreate'] },
    ])
  })

  it('keeps the options of a plugin that is written with options', () => {
    expect(typed(projectFields(offer, 'app'), { Issues: 'local' })).toEqual([
      { path: ['projects', 'app', 'tracker', 'plugin'], value: 'local' },
    ])
  })

  it('does not know a hidden secret, and replaces it only by what is typed', () => {
    const fields = notifierFields('chat', 'ntfy')
    expect(readDraft(content, fields)).toMatchObject({ token: '', topic: '${TOPIC}' })
    expect(typed(fields, { token: '${NTFY}' })).toEqual([{ path: ['notifiers', 'chat', 'token'], value: '${NTFY}' }])
  })
})
