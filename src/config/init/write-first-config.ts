// The text of a first agent-orchestrator.yaml: short, with comments that say what else there is.

import { deriveSessionPrefix } from '../../core/session/session-prefix.ts'
import { escapeEnv } from '../../core/text/expand-env.ts'
import type { DetectedProject } from './detect-project.ts'

export interface FirstConfig {
  project: DetectedProject
  agent: string
  agentWhy: string
}

export function writeFirstConfig({ project, agent, agentWhy }: FirstConfig): string {
  const prefix = deriveSessionPrefix(project.id)
  const repo = project.remote && [`    repo: ${scalar(project.remote.repo)} # on ${project.remote.host}`]
  return [
    '# Configuration of ao, which runs coding agents side by side. Made by: ao init',
    '# All that can stand here:  ao config schema',
    '# What is in effect:        ao config show',
    '',
    'defaults:',
    `  agent: ${scalar(agent)} # ${comment(agentWhy)}`,
    '  # runtime: tmux        # tmux where it is installed, else process',
    '  # workspace: worktree  # worktree or clone',
    '',
    'projects:',
    `  ${scalar(project.id)}:`,
    '    path: .',
    ...(repo ?? ['    # repo: owner/name']),
    ...forgeLines(project),
    `    defaultBranch: ${scalar(project.defaultBranch)} # ${comment(project.defaultBranchWhy)}`,
    `    # sessionPrefix: ${scalar(prefix)} # sessions are ${prefix}-1, ${prefix}-2, and so on`,
    '',
    '    # How often the agent asks: skip (never), auto-edit (not for edits), default (as it ships), suggest (always).',
    '    # agentConfig:',
    '    #   permissions: default',
    '',
    '    # Commands that prepare a new worktree. They run once you have agreed to them: ao config trust',
    '    # postCreate:',
    `    #   - ${project.setupCommand ?? 'make setup'}`,
    '',
    '    # Rules that every prompt ends with.',
    '    # agentRules: |',
    '    #   Run the tests before you say that you are done.',
    '',
  ].join('\n')
}

/** Which forge a host is; others may be one of them too, but only their owner knows. */
const FORGES = [
  { name: 'github', host: /^(?:github\.com|.*\.ghe\.com)$/i },
  { name: 'gitlab', host: /^gitlab\./i },
]

function forgeLines({ remote }: DetectedProject): string[] {
  if (!remote) return ['    # tracker: local # issues and pull requests without a server: ao issue, ao pr']
  const forge = FORGES.find(({ host }) => host.test(remote.host))
  if (!forge) return ['    # tracker: github # or gitlab, linear, local', '    # scm: github # or gitlab, local']
  return [`    tracker: ${forge.name}`, `    scm: ${forge.name}`]
}

const PLAIN = /^[A-Za-z][A-Za-z0-9_./-]*$/
const WORDS_WITH_A_MEANING = /^(?:true|false|null|yes|no|on|off|y|n)$/i

/** A text as YAML reads it back, and as ao reads it back: no number, no date, no variable. */
function scalar(text: string): string {
  const escaped = escapeEnv(text)
  return PLAIN.test(escaped) && !WORDS_WITH_A_MEANING.test(escaped) ? escaped : JSON.stringify(escaped)
}

function comment(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 100)
}
