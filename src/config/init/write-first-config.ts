// The text of a first agent-orchestrator.yaml: short, with comments about further options.

import { deriveSessionPrefix } from '../../contract/ids.ts'
import { escapeEnv } from '../../core/text/expand-env.ts'
import { type DetectedProject, SUBMODULE_COMMAND } from './detect-project.ts'

export interface FirstConfig {
  project: DetectedProject
  agent: string
  agentWhy: string
  /** Where issues and pull requests live; null: the user has to specify it. */
  forge: string | null
}

export function writeFirstConfig({ project, agent, agentWhy, forge }: FirstConfig): string {
  const prefix = deriveSessionPrefix(project.id)
  const repo = project.remote && [`    repo: ${scalar(project.remote.repo)} # on ${project.remote.host}`]
  return [
    '# Configuration of ao, which runs coding agents side by side. Made by: ao init',
    '# Every option:      ao config schema (--help: completion in editors)',
    '# Show the effective configuration: ao config show',
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
    ...forgeLines(forge),
    `    defaultBranch: ${scalar(project.defaultBranch)} # ${comment(project.defaultBranchWhy)}`,
    `    # sessionPrefix: ${scalar(prefix)} # sessions are ${prefix}-1, ${prefix}-2, and so on`,
    '',
    '    # How often the agent asks: skip (never), auto-edit (not for edits), default (as it ships), suggest (always).',
    '    # agentConfig:',
    '    #   permissions: default',
    '',
    '    # Commands that prepare a new worktree. They run once you have agreed to them: ao config trust',
    ...hookLines(project),
    '',
    '    # Rules that every prompt ends with.',
    '    # agentRules: |',
    '    #   Run the tests before you say that you are done.',
    '',
  ].join('\n')
}

function hookLines({ hasSubmodules, foreign, setupCommand }: DetectedProject): string[] {
  const before = [
    ...(hasSubmodules ? [`      - ${SUBMODULE_COMMAND} # there are submodules`] : []),
    ...(foreign?.postCreate ?? []).map((command) => `      - ${JSON.stringify(command)}`),
  ]
  const after = (foreign?.preRemove ?? []).map((command) => `      - ${JSON.stringify(command)}`)
  return [
    ...(foreign ? [`    # Taken over from ${foreign.file}.`] : []),
    ...(before.length > 0 ? ['    postCreate:', ...before] : ['    # postCreate:']),
    ...(foreign ? [] : [`    #   - ${setupCommand ?? 'make setup'}`]),
    ...(after.length > 0 ? ['    preRemove:', ...after] : []),
  ]
}

function forgeLines(forge: string | null): string[] {
  if (forge !== null) return [`    tracker: ${scalar(forge)}`, `    scm: ${scalar(forge)}`]
  return [
    '    # tracker: local # or github, gitlab, forgejo, linear, jira',
    '    # scm: local # or github, gitlab, forgejo',
  ]
}

const PLAIN = /^[A-Za-z][A-Za-z0-9_./-]*$/
const WORDS_WITH_A_MEANING = /^(?:true|false|null|yes|no|on|off|y|n)$/i

/** Quotes text so that YAML and ao read it back unchanged: no number, no date, no variable. */
function scalar(text: string): string {
  const escaped = escapeEnv(text)
  return PLAIN.test(escaped) && !WORDS_WITH_A_MEANING.test(escaped) ? escaped : JSON.stringify(escaped)
}

function comment(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 100)
}
