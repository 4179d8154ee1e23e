// What a repository's devcontainer.json says about its image. Nothing in it is run on this machine, and what ao does not do
// for it is named instead of left out silently.
import { asObject } from '../text/json-fields.ts'

export type DevcontainerImage =
  | { kind: 'image'; image: string }
  | { kind: 'build'; dockerfile: string; context: string; args: Record<string, string>; target: string | null }

export type Devcontainer =
  | { ok: true; source: DevcontainerImage; leftOut: string[] }
  /** Why no image can be made of it. */
  | { ok: false; why: string }

/** They would run commands, or change what the container may do. */
const LEFT_OUT = [
  ...['initializeCommand', 'onCreateCommand', 'updateContentCommand', 'postCreateCommand', 'postStartCommand'],
  ...['postAttachCommand', 'runArgs', 'mounts', 'privileged', 'capAdd', 'securityOpt', 'containerEnv', 'remoteEnv'],
  ...['containerUser', 'remoteUser', 'workspaceMount', 'workspaceFolder', 'forwardPorts', 'hostRequirements'],
] as const

export function readDevcontainer(text: string): Devcontainer {
  const value = parseWithComments(text)
  if (value === null) return refused('it is not a JSON object')
  if ('dockerComposeFile' in value) return refused('it uses Docker Compose, and a session has one container')
  if (Object.keys(asObject(value.features)).length > 0) {
    return refused('it uses `features`, which only the devcontainer program installs')
  }
  const leftOut = LEFT_OUT.filter((key) => key in value)
  const { image } = value
  if (typeof image === 'string' && /^[^-\s]\S*$/.test(image))
    return { ok: true, source: { kind: 'image', image }, leftOut }
  const build = asObject(value.build)
  const dockerfile = build.dockerfile ?? value.dockerFile
  if (typeof dockerfile !== 'string') return refused('it names neither `image` nor `build.dockerfile`')
  const context = build.context ?? value.context ?? '.'
  if (typeof context !== 'string' || !staysBelow(context) || !staysBelow(dockerfile)) {
    return refused('its Dockerfile or its build context is outside .devcontainer, which your consent would not cover')
  }
  const args = Object.entries(asObject(build.args)).flatMap(([name, one]) =>
    typeof one === 'string' && /^\w+$/.test(name) ? [[name, one] as const] : [],
  )
  const target = typeof build.target === 'string' && /^\w[\w.-]*$/.test(build.target) ? build.target : null
  return { ok: true, source: { kind: 'build', dockerfile, context, args: Object.fromEntries(args), target }, leftOut }
}

function refused(why: string): Devcontainer {
  return { ok: false, why }
}

function staysBelow(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.startsWith('-') && !path.split('/').includes('..')
}

/** JSON with comments and trailing commas, as these files are written. null: it is not an object. */
function parseWithComments(text: string): Record<string, unknown> | null {
  const STRING_OR_COMMENT = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g
  const plain = text.replace(STRING_OR_COMMENT, (found) => (found.startsWith('"') ? found : ' '))
  const STRING_OR_COMMA = /"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g
  try {
    const value: unknown = JSON.parse(plain.replace(STRING_OR_COMMA, (found) => (found === ',' ? '' : found)))
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
