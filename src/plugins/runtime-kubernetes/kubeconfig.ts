// Which cluster, and who we are there: the user's kubeconfig as kubectl reads it, or the account of the pod that we are in.
import { delimiter, dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import { AoError, errorText } from '../../contract/errors.ts'
import { exec } from '../../lib/exec.ts'
import { readIfThere, readPlainText } from '../../lib/plain-file.ts'

const text = z.optional(z.string())
const clusterSchema = z.looseObject({
  server: z.string(),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': z.optional(z.boolean()),
  'tls-server-name': text,
  'proxy-url': text,
})
const execSchema = z.looseObject({
  apiVersion: text,
  command: z.string(),
  args: z.optional(z.nullable(z.array(z.string()))),
  env: z.optional(z.nullable(z.array(z.looseObject({ name: z.string(), value: z.string() })))),
})
const userSchema = z.looseObject({
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  exec: z.optional(execSchema),
  'auth-provider': z.optional(z.unknown()),
})
const listOf = <T extends z.core.$ZodType>(key: string, schema: T) =>
  z.optional(z.nullable(z.array(z.looseObject({ name: z.string(), [key]: schema }))))
const fileSchema = z.looseObject({
  'current-context': text,
  clusters: listOf('cluster', clusterSchema),
  users: listOf('user', z.nullable(userSchema)),
  contexts: listOf('context', z.looseObject({ cluster: z.string(), user: text, namespace: text })),
})

type Cluster = z.infer<typeof clusterSchema>
type User = z.infer<typeof userSchema>

export interface ClusterAccess {
  server: string
  namespace: string
  ca?: string | undefined
  insecure: boolean
  serverName?: string | undefined
  /** Asked for each request: tokens expire. */
  credentials(): Promise<Credentials>
}

export interface Credentials {
  token?: string | undefined
  basic?: string | undefined
  cert?: string | undefined
  key?: string | undefined
}

export interface AccessOptions {
  kubeconfig?: string | undefined
  context?: string | undefined
  namespace?: string | undefined
}

const IN_POD = '/var/run/secrets/kubernetes.io/serviceaccount'

export function clusterAccess(options: AccessOptions, env: NodeJS.ProcessEnv): ClusterAccess {
  const files = options.kubeconfig ? [options.kubeconfig] : (env.KUBECONFIG?.split(delimiter).filter(Boolean) ?? [])
  const named = files.length > 0 ? files : [join(env.HOME ?? '', '.kube', 'config')]
  const found = named.flatMap((path) => readConfig(path) ?? [])
  if (found.length === 0) {
    const inside = files.length === 0 ? insidePod(options, env) : null
    if (inside) return inside
    throw unusable(`there is no kubeconfig at ${named.join(' or ')}`)
  }
  return accessFrom(found, options, env)
}

/** Paths in it are relative to it. */
interface ConfigFile {
  directory: string
  content: z.infer<typeof fileSchema>
}

function readConfig(path: string): ConfigFile | null {
  const text = readIfThere(path)
  if (text === null) return null
  const parsed = z.safeParse(fileSchema, parseText(path, text))
  if (parsed.success) return { directory: dirname(resolve(path)), content: parsed.data }
  const [issue] = parsed.error.issues
  throw unusable(`${path} is not a kubeconfig: ${issue?.path.join('.')}: ${issue?.message}`)
}

function parseText(path: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw unusable(`${path} is not YAML: ${errorText(error).split('\n')[0]}`)
  }
}

function accessFrom(files: ConfigFile[], options: AccessOptions, env: NodeJS.ProcessEnv): ClusterAccess {
  // The first file that has a name has it, as for kubectl.
  const find = <T>(list: 'clusters' | 'users' | 'contexts', key: string, name: string | undefined) => {
    for (const { directory, content } of files) {
      const entry = content[list]?.find((one) => one.name === name)
      if (entry) return { directory, value: (entry as Record<string, unknown>)[key] as T }
    }
    return null
  }
  const contextName = options.context ?? files.flatMap(({ content }) => content['current-context'] || [])[0]
  const context = find<{ cluster: string; user?: string; namespace?: string }>('contexts', 'context', contextName)
  if (!context) throw unusable(contextName ? `there is no context ${contextName}` : 'it has no current context')
  const cluster = find<Cluster>('clusters', 'cluster', context.value.cluster)
  if (!cluster)
    throw unusable(`the context ${contextName} names the cluster ${context.value.cluster}, which is missing`)
  if (cluster.value['proxy-url'])
    throw unusable(`the cluster ${context.value.cluster} has a proxy-url, which ao cannot use`)
  const user = find<User | null>('users', 'user', context.value.user)
  const ca = pemOf(
    cluster.directory,
    cluster.value['certificate-authority-data'],
    cluster.value['certificate-authority'],
  )
  return {
    server: cluster.value.server.replace(/(?<!\/)\/+$/, ''),
    namespace: options.namespace ?? context.value.namespace ?? 'default',
    ca,
    insecure: cluster.value['insecure-skip-tls-verify'] === true,
    serverName: cluster.value['tls-server-name'],
    credentials: credentialsOf(user?.value ?? {}, user?.directory ?? '/', env),
  }
}

function pemOf(directory: string, data: string | undefined, file: string | undefined): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString('utf8')
  return file ? readPlainText(resolve(directory, file)) : undefined
}

function credentialsOf(user: User, directory: string, env: NodeJS.ProcessEnv): () => Promise<Credentials> {
  if (user['auth-provider'])
    throw unusable('it uses an auth-provider, which kubectl has given up too; use an exec plugin')
  let cached: { credentials: Credentials; until: number } | null = null
  return async () => {
    const own: Credentials = {
      token: user.tokenFile ? readPlainText(resolve(directory, user.tokenFile)).trim() : user.token,
      basic: user.username === undefined ? undefined : `${user.username}:${user.password ?? ''}`,
      cert: pemOf(directory, user['client-certificate-data'], user['client-certificate']),
      key: pemOf(directory, user['client-key-data'], user['client-key']),
    }
    if (!user.exec) return own
    if (cached === null || cached.until < Date.now()) cached = await runPlugin(user.exec, directory, env)
    return { ...own, ...cached.credentials }
  }
}

const credentialSchema = z.looseObject({
  status: z.looseObject({
    token: text,
    clientCertificateData: text,
    clientKeyData: text,
    expirationTimestamp: text,
  }),
})

/** A little before it expires. */
const EARLY_MS = 30_000

async function runPlugin(
  plugin: z.infer<typeof execSchema>,
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<{ credentials: Credentials; until: number }> {
  const apiVersion = plugin.apiVersion ?? 'client.authentication.k8s.io/v1'
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } })
  const own = Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value]))
  // A name with a slash is a path, relative to the file that names it.
  const command = plugin.command.includes('/') ? resolve(directory, plugin.command) : plugin.command
  const ran = await exec(command, plugin.args ?? [], {
    env: { ...env, ...own, KUBERNETES_EXEC_INFO: info },
    timeoutMs: 60_000,
  })
  const why = ran.startError?.message ?? ran.stderr.trim().split('\n').at(-1) ?? ''
  if (!ran.ok)
    throw unusable(`the credential plugin ${plugin.command} failed: ${why}`, `Try it by hand: kubectl version`)
  try {
    const { status } = z.parse(credentialSchema, JSON.parse(ran.stdout))
    const expires = status.expirationTimestamp ? Date.parse(status.expirationTimestamp) - EARLY_MS : Number.NaN
    return {
      credentials: { token: status.token, cert: status.clientCertificateData, key: status.clientKeyData },
      until: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires,
    }
  } catch {
    throw unusable(`the credential plugin ${plugin.command} did not print a credential`)
  }
}

function insidePod(options: AccessOptions, env: NodeJS.ProcessEnv): ClusterAccess | null {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env
  const ca = readIfThere(join(IN_POD, 'ca.crt'))
  if (!host || ca === null) return null
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: options.namespace ?? readIfThere(join(IN_POD, 'namespace'))?.trim() ?? 'default',
    ca,
    insecure: false,
    // Replaced by the kubelet before it expires.
    credentials: async () => ({ token: readPlainText(join(IN_POD, 'token')).trim() }),
  }
}

function unusable(why: string, hint = 'Make this work first: kubectl get pods'): AoError {
  return new AoError('PLACE_UNREACHABLE', `The kubeconfig cannot be used: ${why}`, { hint })
}
