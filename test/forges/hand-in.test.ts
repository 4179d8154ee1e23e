// What agents are instructed to do with their work, for every forge: only commands that exist there.
import { describe, expect, it } from 'vitest'
import { buildPrompt } from '../../src/core/prompt/build-prompt.ts'
import { handInOf } from '../../src/core/prompt/hand-in.ts'
import { ciMessage, commentsMessage, conflictsMessage, idleMessage } from '../../src/core/reactions/messages.ts'
import type { PrView } from '../../src/core/reactions/pr-view.ts'
import { BUILTIN_PLUGINS } from '../../src/plugins/builtin.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'

const PR = { number: 7, headSha: 'abc', url: 'https://x/7' } as PrView

async function words(name: string | null): Promise<string[]> {
  const scm = name === null ? null : await createPluginRegistry({ env: {}, home: '/nowhere' }).load('scm', name)
  const handIn = handInOf(scm)
  const prompt = buildPrompt({
    projectName: 'app',
    repo: null,
    defaultBranch: 'main',
    branch: 'feat/x',
    handIn: scm && handIn,
    issue: null,
    adHocIssue: null,
    rules: [],
    userPrompt: 'Do it',
  })!
  return [
    prompt,
    ciMessage(PR, [], handIn),
    commentsMessage(PR, [], handIn),
    conflictsMessage(PR, 'main', handIn),
    idleMessage(handIn),
  ]
}

interface Expected {
  says: RegExp
  never: RegExp
}

const FORGES: Record<string, Expected> = {
  github: { says: /push the branch and open a pull request with `gh pr create`/, never: /glab|merge request/ },
  gitlab: { says: /`git push -u origin HEAD`; ao opens the merge request/, never: /\bgh\b|pull request/ },
  forgejo: { says: /`git push -u origin HEAD`; ao opens the pull request/, never: /\bgh\b|glab|merge request/ },
  local: { says: /`gh pr create`; nothing needs pushing/, never: /commit and push|git push|push the branch/ },
}

describe('the words of a forge', () => {
  it('are known for every forge that ships with ao', () => {
    const names = BUILTIN_PLUGINS.filter(({ slot }) => slot === 'scm').map(({ name }) => name)
    expect(names.sort()).toEqual(Object.keys(FORGES).sort())
  })

  it.each(Object.entries(FORGES))('%s', async (name, { says, never }) => {
    const said = await words(name)
    expect(said[0]).toMatch(says)
    expect(said[4]).toMatch(says)
    expect(said[0]).toContain('will be sent to you as messages')
    for (const text of said) expect(text).not.toMatch(never)
  })

  it('without a forge ask for commits and nothing else', async () => {
    const said = await words(null)
    expect(said[0]).toContain('everything is committed')
    expect(said[0]).not.toContain('will be sent to you')
    for (const text of said) expect(text).not.toMatch(/\bgh\b|glab|commit and push|open a pull request/)
  })
})
