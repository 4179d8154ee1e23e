// The keys of a project.
import type { SlotName } from '../slot-names.ts'
import { agentConfig, environment, fallback, orchestrator, worker } from './agent-keys.ts'
import { gates } from './gates.ts'
import { type Field, group, key, plugin, type Value } from './key.ts'
import { budget, reactions } from './reaction-keys.ts'
import {
  filledText,
  flag,
  oneOf,
  pluginName,
  safeName,
  seconds,
  text,
  textOrTexts,
  texts,
  wholeNumber,
} from './values.ts'

const choiceOf = (slot: SlotName, about: string, field?: Field) =>
  plugin({ slot, written: 'choice', about, ...(field && { field }) }, (z) =>
    z.union(
      [z.string(), z.looseObject({ plugin: z.string() })],
      'must be the name of a plugin, or an object with `plugin` and its options',
    ),
  )

const prefix: Value<string> = { ...text, schema: safeName('sessionPrefix') }

const landing = group('How approved work gets into the base branch; a person or a reaction merges without this key', {
  mode: key(
    oneOf(['off', 'train']),
    { verdict: 'automatic', but: ['off'] },
    'train: approved, green pull requests land by themselves, each tested with everything ahead of it',
    { default: 'off', field: { label: 'Landing' } },
  ),
  batch: key(wholeNumber(1, 16), 'harmless', 'How many of them are tested at once', { default: 4 }),
  order: key(
    oneOf(['safe', 'fifo']),
    'harmless',
    'safe: as they came, but one that conflicts with several goes behind them; fifo: as they came',
    { default: 'safe' },
  ),
  method: key(
    oneOf(['merge', 'squash', 'rebase']),
    'harmless',
    'How they are merged; as the forge is set up by default',
  ),
  priority: key(texts, 'harmless', 'Labels of pull requests that go first'),
  // They decide what may land.
  checks: key(
    texts,
    'automatic',
    'Names of the checks that have to pass on a car on GitHub, GitLab or Forgejo; by default all that passed on the pull request itself',
  ),
  watch: key(
    oneOf(['off', 'notify', 'revert']),
    { verdict: 'automatic', but: ['off', 'notify'] },
    'Checks on the base branch after every merge and push. notify: you and the agent whose work broke it are notified; revert: a pull request that reverts it is opened too, and boards first. off by default',
  ),
  pushProof: key(
    flag,
    { verdict: 'automatic', but: [false] },
    'true: push the proofs of what lands (refs/notes/ao/proof) to the remote. GitHub, GitLab and Forgejo; off by default',
  ),
  sign: key(
    flag,
    { verdict: 'automatic', but: [false] },
    'true: sign the proof of what lands with the ssh key that git signs with (user.signingkey)',
  ),
})

const backlog = group('Issues that are started by themselves; none without this key', {
  label: key(filledText, 'automatic', 'Open issues with this label are picked up', { required: true }),
  maxSessions: key(wholeNumber(1, 100), 'automatic', 'While fewer sessions than this run', { required: true }),
})

export const project = group('', {
  path: key(filledText, 'outside', 'The git repository; ~ and paths relative to this file work', {
    required: true,
    field: { label: 'Directory of the repository', hint: 'Relative to the file, absolute, or with ~/' },
  }),
  name: key(text, 'harmless', 'Name shown to people; the key by default', { field: { label: 'Name' } }),
  repo: key(text, 'harmless', 'owner/name on the forge', {
    field: { label: 'Repository on the forge', hint: 'Such as owner/name' },
  }),
  defaultBranch: key(filledText, 'harmless', 'Branch that new work starts from', {
    default: 'main',
    field: { label: 'Branch that new work starts from' },
  }),
  sessionPrefix: key(prefix, 'harmless', 'Prefix of session ids; derived from the key by default'),
  tracker: choiceOf('tracker', 'Where issues live', { label: 'Issues' }),
  scm: choiceOf('scm', 'Where pull requests live', { label: 'Pull requests' }),
  agent: key(pluginName('agent'), 'harmless', 'Agent plugin for this project', { field: { label: 'Agent' } }),
  runtime: key(pluginName('runtime'), 'harmless', 'Runtime plugin for this project', { field: { label: 'Runtime' } }),
  // A place of the user's own; what a place is needs consent where it is written.
  place: key(
    textOrTexts('must be the name of a place or a list of them'),
    'harmless',
    'Where its workers run: the first of these places that has room. Without it: on this machine',
  ),
  workspace: choiceOf('workspace', 'Workspace plugin for this project'),
  terminal: key(pluginName('terminal'), 'harmless', 'Terminal plugin for this project'),
  agentConfig: agentConfig('Settings of the agent'),
  environment,
  worker,
  orchestrator,
  fallback,
  agentRules: key(text, 'harmless', 'Rules added to every prompt', {
    verbatim: true,
    field: { label: 'Rules that every prompt ends with', isLong: true },
  }),
  agentRulesFile: key(text, 'outside', 'File with such rules, relative to the project'),
  orchestratorRules: key(text, 'harmless', 'Rules added to the orchestrator prompt', { verbatim: true }),
  // Both are confined to the project where they are used, links resolved.
  symlinks: key(texts, 'harmless', 'Paths of the project linked into every worktree'),
  envFiles: key(texts, 'harmless', 'Files copied into every worktree, .env by default'),
  postCreate: key(texts, 'postCreate', 'Commands run in a new worktree', {
    verbatim: true,
    field: { label: 'Commands that prepare a new worktree', hint: 'One on each line' },
  }),
  preRemove: key(texts, 'postCreate', 'Commands run in a worktree before it is removed, after its work was saved', {
    verbatim: true,
  }),
  postCreateTimeout: key(
    seconds('must be greater than 0'),
    'harmless',
    'Seconds each command of postCreate and preRemove may take; 300 by default',
  ),
  // Strangers could then talk to agents that run on this machine.
  forwardOutsiders: key(
    flag,
    { verdict: 'agent-command', but: [false] },
    'true: pass review comments of people outside the repository on to agents too',
  ),
  reactions,
  gates,
  budget: budget('What all sessions of this project may cost on one day'),
  landing,
  backlog,
})
