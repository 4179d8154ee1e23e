// Which variables of an agent's environment go along to a place. A cage starts empty: the keys of models, what the place's
// `environment` names, what the configuration sets for the agent, and who the session is.

/** Without them no agent can reach its model. */
const MODEL_VARIABLES = [
  ...['ANTHROPIC_*', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_*', 'OPENAI_*', 'CODEX_API_KEY', 'GEMINI_API_KEY'],
  ...['GOOGLE_API_KEY', 'GOOGLE_GENAI_*', 'OPENROUTER_API_KEY', 'MISTRAL_API_KEY', 'DEEPSEEK_API_KEY', 'XAI_API_KEY'],
  ...['GROQ_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK'],
] as const

const OF_THE_SESSION = ['AO_SESSION', 'AO_PROJECT_ID', 'AO_CALLER_TYPE', 'AO_SPAWN_ID'] as const

export function travellingVariables(
  all: Readonly<Record<string, string>>,
  {
    named = [],
    configured = {},
  }: { named?: readonly string[] | undefined; configured?: Readonly<Record<string, string>> | undefined },
): Record<string, string> {
  const patterns = [...MODEL_VARIABLES, ...OF_THE_SESSION, ...named]
  const chosen = Object.entries(all).filter(([name]) => patterns.some((pattern) => fits(pattern, name)))
  const { PATH: _ofHome, ...settings } = configured
  return { ...Object.fromEntries(chosen), ...settings }
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name
}
