// The agents that ao knows, as data: the one table behind `ao init`, `ao doctor`, `ao plugin ls`, `agh install` and
// docs/agents.md. Agents that differ only in wording have no code of their own: their row is all there is.
import type { PermissionMode } from '../config.ts'

/** Characters that begin a command in the input line of some agent: assumed of every agent whose row says nothing else. */
export const CAUTIOUS_COMMANDS = '!/#@?&$:>'

/**
 * The command line of an agent in a terminal. `{prompt}`, `{id}` and `{session}` stand for the task, the agent's own
 * session id chosen by ao, and ao's name of the session.
 */
export interface TerminalCommand {
  /** After the program, before everything else. */
  command?: readonly string[]
  /** How it takes its task; absent: it is typed once the agent is running. */
  prompt?: readonly string[]
  permissions: Partial<Record<PermissionMode, readonly string[]>>
  model?: string
  /** Lets ao choose its session id. */
  chooseId?: readonly string[]
  /** Absent: it cannot be resumed, and starts afresh with its task. */
  resume?: readonly string[]
  /** A flag that takes additional instructions, as text. */
  instructions?: string
}

export interface AgentRow {
  /** The value of `agent:`. */
  name: string
  title: string
  program: string
  /** The npm package that provides the program. */
  package?: string
  /** An install command for those that are not on npm. */
  install?: string
  /** The command that speaks ACP. */
  acp?: readonly [program: string, ...args: string[]]
  /** Its own modes over ACP that correspond to ours, the best first. */
  acpModes?: Partial<Record<PermissionMode, readonly string[]>>
  /** agh's name for it, if different. */
  acpName?: string
  /** The npm package that provides it, if different. */
  acpPackage?: string
  /** What it must not do through agh. */
  avoids?: { read?: boolean; write?: boolean; terminal?: boolean }
  /** own: it has a plugin of its own. Otherwise the plugin is built from this row. */
  terminal: 'own' | TerminalCommand
  /** Which kind of session files it keeps; absent: only its screen is available. */
  records?: 'qwen' | 'pi' | 'copilot'
  /** Each character that its input line treats as a command when a message begins with it. Absent: CAUTIOUS_COMMANDS. */
  inputCommands?: string
  /** Bytes of a message that its input line hands on whole; longer ones go through a file. Absent: every message is typed. */
  typedLimit?: number
  /** How a message names a file so that the agent reads it, pictures included; `{path}` is the file. Absent: by its path alone. */
  fileMention?: string
  /** A line that it shows as long as it accepts text, as a regular expression: a message waits for it. */
  inputLine?: string
  /** Files of a repository that it obeys. */
  repositoryFiles?: readonly string[]
  /** It has no conversation to continue, and starts afresh with its task. */
  startsAfresh?: true
  /** The version observed to work, against a scripted model. null: from its documentation only. */
  verified: string | null
}

export const AGENT_TABLE: readonly AgentRow[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    program: 'claude',
    package: '@anthropic-ai/claude-code',
    acp: ['claude-agent-acp'],
    acpName: 'claude',
    acpPackage: '@agentclientprotocol/claude-agent-acp',
    terminal: 'own',
    inputCommands: '!/',
    // As its documentation says; the others read a path that they are given with a tool of theirs.
    fileMention: '@{path}',
    repositoryFiles: ['.claude', '.mcp.json'],
    verified: '2.1.325',
  },
  {
    name: 'codex',
    title: 'Codex',
    program: 'codex',
    package: '@openai/codex',
    acp: ['codex-acp'],
    acpPackage: '@agentclientprotocol/codex-acp',
    terminal: 'own',
    inputCommands: '!/',
    repositoryFiles: ['.codex', '.agents'],
    verified: '0.166.0',
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    program: 'opencode',
    package: 'opencode-ai',
    acp: ['opencode', 'acp'],
    terminal: 'own',
    inputCommands: '!/',
    repositoryFiles: ['opencode.json', 'opencode.jsonc', '.opencode', 'bunfig.toml', '.env'],
    verified: '1.18.33',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    program: 'gemini',
    package: '@google/gemini-cli',
    acp: ['gemini', '--acp'],
    // Its library loses the reason of a failed read (seen with 0.61.0): a missing file could not be created.
    avoids: { read: false },
    terminal: 'own',
    inputCommands: '!/',
    repositoryFiles: ['.gemini', '.env'],
    verified: '0.61.0',
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    program: 'qwen',
    package: '@qwen-code/qwen-code',
    acp: ['qwen', '--acp'],
    acpModes: { skip: ['yolo'], 'auto-edit': ['auto-edit'], suggest: ['default'] },
    terminal: {
      prompt: ['--prompt-interactive={prompt}'],
      permissions: {
        skip: ['--approval-mode', 'yolo'],
        'auto-edit': ['--approval-mode', 'auto-edit'],
        suggest: ['--approval-mode', 'default'],
      },
      model: '--model',
      chooseId: ['--session-id', '{id}'],
      resume: ['--resume', '{id}'],
      instructions: '--append-system-prompt',
    },
    records: 'qwen',
    inputLine: '^[\\s│]*[>!*?]\\s',
    inputCommands: '!/',
    // Of longer pastes its model sometimes got nothing but "[Pasted Content 1518 chars]" (3 of 14).
    typedLimit: 1_000,
    repositoryFiles: ['.qwen', '.env'],
    verified: '0.24.4',
  },
  {
    name: 'pi',
    title: 'pi',
    program: 'pi',
    package: '@earendil-works/pi-coding-agent',
    terminal: {
      prompt: ['--', '{prompt}'],
      // It asks for nothing.
      permissions: {},
      model: '--model',
      chooseId: ['--session-id', '{id}'],
      resume: ['--session-id', '{id}'],
      instructions: '--append-system-prompt',
    },
    records: 'pi',
    inputLine: '^─{20,}',
    inputCommands: '!/',
    repositoryFiles: ['.pi'],
    verified: '0.87.1',
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot CLI',
    program: 'copilot',
    package: '@github/copilot',
    acp: ['copilot', '--acp'],
    terminal: {
      prompt: ['--interactive={prompt}'],
      permissions: { skip: ['--allow-all-tools', '--allow-all-paths'] },
      model: '--model',
      chooseId: ['--session-id={id}'],
      resume: ['--resume={id}'],
    },
    records: 'copilot',
    inputLine: '/ commands\\b|@ files ·|/help show help|\\besc interrupt\\b',
    inputCommands: '!/',
    repositoryFiles: [
      '.copilot',
      '.github/copilot-instructions.md',
      '.github/agents',
      '.github/hooks',
      '.vscode/mcp.json',
    ],
    verified: '1.0.102',
  },
  {
    name: 'aider',
    title: 'Aider',
    program: 'aider',
    install: 'python -m pip install aider-install && aider-install',
    terminal: 'own',
    startsAfresh: true,
    repositoryFiles: ['.aider.conf.yml', '.aider.model.settings.yml', '.aider.model.metadata.json', '.env'],
    verified: null,
  },
  {
    name: 'cursor',
    title: 'Cursor CLI',
    program: 'cursor-agent',
    install: 'curl https://cursor.com/install -fsS | bash',
    acp: ['cursor-agent', 'acp'],
    terminal: {
      prompt: ['{prompt}'],
      permissions: { skip: ['--force'] },
      model: '--model',
      resume: ['--continue'],
    },
    repositoryFiles: ['.cursor'],
    verified: null,
  },
  {
    name: 'amp',
    title: 'Amp',
    program: 'amp',
    package: '@ampcode/cli',
    terminal: {
      permissions: { skip: ['--dangerously-allow-all'] },
      resume: ['threads', 'continue'],
    },
    repositoryFiles: ['.amp'],
    verified: null,
  },
  {
    name: 'goose',
    title: 'Goose',
    program: 'goose',
    install: 'curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash',
    acp: ['goose', 'acp'],
    terminal: {
      command: ['session'],
      permissions: {},
      chooseId: ['--name', '{session}'],
      resume: ['--resume', '--name', '{session}'],
    },
    repositoryFiles: ['.goose', '.goosehints'],
    verified: null,
  },
  {
    name: 'kiro',
    title: 'Kiro CLI',
    program: 'kiro-cli',
    install: 'curl -fsSL https://cli.kiro.dev/install | bash',
    acp: ['kiro-cli', 'acp'],
    terminal: {
      command: ['chat'],
      prompt: ['--', '{prompt}'],
      permissions: { skip: ['--trust-all-tools'] },
      model: '--model',
      resume: ['--resume'],
    },
    repositoryFiles: ['.kiro'],
    verified: null,
  },
  {
    name: 'crush',
    title: 'Crush',
    program: 'crush',
    package: '@charmland/crush',
    terminal: { permissions: { skip: ['--yolo'] }, resume: ['--continue'] },
    repositoryFiles: ['.crush', 'crush.json', '.crush.json'],
    verified: null,
  },
  {
    name: 'droid',
    title: 'Factory Droid',
    program: 'droid',
    install: 'curl -fsSL https://app.factory.ai/cli | sh',
    acp: ['droid', 'exec', '--output-format', 'acp'],
    terminal: { prompt: ['{prompt}'], permissions: {}, resume: ['resume', '--last'] },
    repositoryFiles: ['.factory'],
    verified: null,
  },
  {
    name: 'kimi',
    title: 'Kimi Code CLI',
    program: 'kimi',
    install: 'uv tool install kimi-cli',
    acp: ['kimi', 'acp'],
    terminal: {
      permissions: { skip: ['--yolo'] },
      model: '--model',
      resume: ['--continue'],
    },
    repositoryFiles: ['.kimi'],
    verified: null,
  },
  {
    name: 'cline',
    title: 'Cline CLI',
    program: 'cline',
    package: 'cline',
    acp: ['cline', '--acp'],
    terminal: { prompt: ['{prompt}'], permissions: { skip: ['--yolo'] }, model: '--model' },
    repositoryFiles: ['.cline', '.clinerules'],
    verified: null,
  },
  {
    name: 'auggie',
    title: 'Auggie',
    program: 'auggie',
    package: '@augmentcode/auggie',
    acp: ['auggie', '--acp'],
    terminal: { prompt: ['{prompt}'], permissions: {}, model: '--model', resume: ['--continue'] },
    repositoryFiles: ['.augment'],
    verified: null,
  },
]

export function agentRow(name: string): AgentRow | null {
  return AGENT_TABLE.find((row) => row.name === name) ?? null
}

/** How a person installs the program. */
export function howToInstall(row: AgentRow): string {
  return row.package === undefined ? (row.install ?? `Install ${row.title}`) : `npm install --global ${row.package}`
}

/** For the agents that have a plugin of their own. */
export function factsOfRow(name: string) {
  const { inputCommands, fileMention, repositoryFiles } = agentRow(name)!
  return { inputCommands, fileMention, repositoryFiles }
}

const ESCAPE = '\u001b'
const CTRL_C = '\u0003'

/** The keys that end a turn in its terminal, pressed shortly after each other, as observed; null: nobody has. */
export function interruptKeys(name: string): readonly string[] | null {
  if (name === 'demo' || name === 'aider') return [CTRL_C]
  // It forgets the first one after half a second, and takes two that arrive together for another key.
  if (name === 'copilot') return [ESCAPE, ESCAPE]
  return agentRow(name)?.verified ? [ESCAPE] : null
}
