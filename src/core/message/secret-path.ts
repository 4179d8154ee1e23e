// Files that hold secrets by their name, wherever they are: they go along with no message unless a person names them with `--file`. Pure.

/** By the last part of a path. */
const SECRET_NAMES =
  /^(?:\.env(?:\..*)?|.*\.env|\.envrc|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|\.dockercfg|id_(?:rsa|dsa|ecdsa|ed25519)(?:_.*)?|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|age|tfstate|tfvars)|credentials(?:\..*)?|secrets?\..*|service[-_]?account.*\.json|kubeconfig)$/i
/** Examples are meant to be read. */
const EXAMPLES = /\.(?:example|sample|template|dist)$/i
const SECRET_DIRECTORIES =
  /(?:^|[\\/])(?:\.git|\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|\.ao|\.agh|\.agent-orchestrator|\.claude|\.codex|\.gemini|\.config)(?:[\\/]|$)/i

export function isSecretPath(path: string): boolean {
  const name = path.split(/[\\/]/).at(-1) ?? ''
  return SECRET_DIRECTORIES.test(path) || (SECRET_NAMES.test(name) && !EXAMPLES.test(name))
}
