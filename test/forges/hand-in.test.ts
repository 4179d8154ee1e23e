// What agents are instructed to do with their work, for every forge: only commands that exist there.
import { describe, expect, it } from 'vitest'
import { handInOf } from '../../src/contract/forges.ts'
import { buildPrompt } from '../../src/core/prompt/build-prompt.ts'
import { ciMessage, commentsMessage, conflictsMessage, idleMessage } from '../../src/core/reactions/messages.ts'
import { BUILTIN_PLUGINS } from '../../src/plugins/builtin.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import { samplePull } from '../support/sample-pull.ts'

const PR = samplePull()

async function instructions(name: string | null): Promise<string[]> {
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
    const lines = await instructions(name)
    expect(lines[0]).toMatch(says)
    expect(lines[4]).toMatch(says)
    expect(lines[0]).toContain('will be sent to you as messages')
    for (const text of lines) expect(text).not.toMatch(never)
  })

  it('without a forge ask for commits and nothing else', async () => {
    const lines = await instructions(null)
    expect(lines[0]).toContain('everything is committed')
    expect(lines[0]).not.toContain('will be sent to you')
    for (const text of lines) expect(text).not.toMatch(/\bgh\b|glab|commit and push|open a pull request/)
  })
})
