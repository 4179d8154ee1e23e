// The keys about agents, in `defaults`, in a project and in an account.
import { group, key, openGroup, type Value } from './key.ts'
import { pluginName, text, textByName, textOrTexts, texts } from './values.ts'

export const PERMISSION_MODES = ['skip', 'auto-edit', 'default', 'suggest'] as const
export type PermissionMode = (typeof PERMISSION_MODES)[number]

const permissionMode: Value<PermissionMode> = {
  schema: (z) =>
    z.pipe(
      z.enum([...PERMISSION_MODES, 'permissionless']),
      z.transform((word): PermissionMode => (word === 'permissionless' ? 'skip' : word)),
    ),
  input: 'choice',
  choices: PERMISSION_MODES,
}

/** The last word before other options of the agent's command line. */
export function isModelName(name: string): boolean {
  return /^[^-\s]/.test(name)
}

export const NO_MODEL_NAME = 'must not begin with - or a space, or the agent would take it for an option'

export const modelName: Value<string> = {
  ...text,
  schema: (z) => z.string().check(z.refine(isModelName, NO_MODEL_NAME)),
}

/** Open: an agent plugin may have options of its own. No defaults here, or a role would hide its project's settings. */
export const agentConfigKeys = {
  permissions: key(
    permissionMode,
    { verdict: 'agent-command', but: ['auto-edit', 'default', 'suggest'] },
    'How often the agent asks: skip (never), auto-edit (not for edits), default (as the agent ships; so without this key), suggest (always). permissionless is an old word for skip.',
    { field: { label: 'How often the agent asks', inherited: 'default' } },
  ),
  model: key(modelName, 'harmless', 'Model name handed to the agent', { field: { label: 'Model' } }),
  command: key(
    textOrTexts('must be text or a list of texts'),
    'agent-command',
    'The command of the generic agent, or another path for a built-in one',
  ),
  acpCommand: key(
    textOrTexts('must be text or a list of texts'),
    'agent-command',
    "With runtime: acp, the command that speaks the Agent Client Protocol; without it the agent's usual one",
  ),
  args: key(texts, 'agent-command', 'Further arguments for the agent'),
  env: key(textByName, 'agent-command', 'Further environment of the agent'),
}

export const agentConfig = (about: string) =>
  openGroup({ about, merge: 'keys', others: 'agent-command' }, agentConfigKeys)

/** Denying only takes away; allowing can give an agent what ao would reserve. */
export const environment = group(
  {
    about:
      'Which of your variables agents get: all but the secrets that ao uses itself. Commands of postCreate and CI get the basic ones and those in allow.',
    merge: 'keys',
  },
  {
    allow: key(
      texts,
      'environment',
      'Only these, beside basic ones such as PATH, HOME and proxies; a name may end in *',
    ),
    // What one of two files denies is denied.
    deny: key(texts, 'harmless', 'Never these; a name may end in *', { merge: 'joined' }),
  },
)

const roleKeys = {
  agent: key(pluginName('agent'), 'harmless', 'Agent plugin for this role'),
  agentConfig: agentConfig('Settings of that agent, over those of the project'),
}
const role = (about: string) => group({ about, merge: 'keys', notInForms: true }, roleKeys)
export const worker = role('What workers use instead')
export const orchestrator = role('What the orchestrator uses instead')
export const reviewer = group(
  {
    about: 'What reviewers use instead: an agent of another kind, another model or account sees other things',
    merge: 'keys',
    notInForms: true,
  },
  {
    ...roleKeys,
    account: key(text, 'agent-command', 'Name of one of `accounts`'),
    rules: key(text, 'harmless', 'What reviewers look for; added to their prompt', { verbatim: true }),
  },
)

/** Whose money is spent, and on whose behalf an agent acts: a repository decides none of that by itself. */
export const account = group(
  { about: '', consent: 'agent-command' },
  {
    agent: key(pluginName('agent'), 'agent-command', 'Agent plugin; that of the project by default'),
    agentConfig: agentConfig(
      'Its settings: `env` selects the account, such as CLAUDE_CONFIG_DIR or CODEX_HOME (~/ is your home, secrets best as ${NAME}). Those of the project count too while the agent is the same',
    ),
  },
)

const accountNames: Value<string[]> = {
  ...texts,
  schema: (z) =>
    z.array(z.string()).check(
      z.maxLength(10, 'may name 10 accounts at most'),
      z.refine((names) => new Set(names).size === names.length, 'names an account twice'),
    ),
}

export const fallback = key(
  accountNames,
  'agent-command',
  'Names of `accounts`: when a limit stops an agent for a while, its session continues with the first of them that is not limited itself',
)
