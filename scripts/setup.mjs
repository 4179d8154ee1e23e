// Makes a fresh clone ready: npm packages (with a newer Node among them) and, with --system, programs that tests need.
// Runs on plain Node 20 with nothing installed. Says nothing when there is nothing to do.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MINIMUM_NODE = [22, 19]

/** Debian names them as we call them. */
const SYSTEM_PROGRAMS = [
  { program: 'git', package: 'git', why: 'every workspace is a git worktree' },
  { program: 'tmux', package: 'tmux', why: 'the tmux runtime is tested on the real one' },
  { program: 'jq', package: 'jq', why: 'the documented jq lines are tested as written' },
  { program: 'gh', package: 'gh', why: "agents' wrapper around gh is tested on the real one" },
  { program: 'chromium', package: 'chromium', why: 'the dashboard is tested in a real browser' },
]

installPackages()
fetchNode()
if (process.argv.includes('--system')) installSystemPrograms()

function installPackages() {
  const reason = whyPackagesAreStale()
  if (reason === null) return
  console.log(`setup: installing npm packages (${reason})`)
  // Development packages are needed here whatever NODE_ENV says: the newer Node is one of them.
  // No install scripts: every native part comes prebuilt, and only Node has to be fetched by one (see below).
  const npm = run('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  if (npm.status !== 0) stop('npm ci failed', npm.output, npm.status)
}

/** null: what is installed is what package-lock.json asks for. npm writes its own list when it has finished. */
function whyPackagesAreStale() {
  const wanted = readPackages('package-lock.json')
  const installed = readPackages('node_modules/.package-lock.json')
  if (wanted === null) stop('package-lock.json cannot be read', '', 1)
  if (installed === null) return 'none are installed yet'
  for (const [path, { version, optional }] of Object.entries(wanted)) {
    const have = installed[path]
    // Optional ones are for other systems, unless they are there.
    if (path === '' || (optional && !have)) continue
    if (have?.version !== version)
      return `package-lock.json asks for ${path.replace(/^.*node_modules\//, '')} ${version}`
  }
  return null
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages
  } catch {
    // Missing or half written: both mean that npm has not finished.
    return null
  }
}

function fetchNode() {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/node/package.json'), 'utf8'))
  const [major, minor] = version.split('.').map(Number)
  const isNewEnough = major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1])
  if (!isNewEnough) stop(`the npm package node is ${version}, but ${MINIMUM_NODE.join('.')} or newer is needed`, '', 1)
  if (isExecutable(join(ROOT, 'node_modules/.bin/node'))) return
  console.log(`setup: fetching Node ${version}`)
  const npm = run('npm', ['rebuild', 'node', '--ignore-scripts=false', '--loglevel=error'])
  if (npm.status === 0 && isExecutable(join(ROOT, 'node_modules/.bin/node'))) return
  stop('Node could not be fetched by: npm rebuild node', npm.output, npm.status)
}

function installSystemPrograms() {
  const missing = SYSTEM_PROGRAMS.filter(({ program }) => !isOnPath(program))
  if (missing.length === 0) return
  if (process.getuid?.() === 0 && isOnPath('apt-get')) aptInstall(missing.map((one) => one.package))
  for (const { program, package: name, why } of missing) {
    if (isOnPath(program)) continue
    console.log(`setup: ${program} is missing (${why}); get it with: apt-get install ${name}, or brew install ${name}`)
  }
}

function aptInstall(names) {
  console.log(`setup: installing ${names.join(', ')} with apt-get`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = () => run('apt-get', ['install', '--yes', '--no-install-recommends', ...names], env)
  // A machine that was never updated knows no packages; one that was needs no update.
  if (install().status === 0) return
  run('apt-get', ['update'], env)
  const again = install()
  if (again.status !== 0)
    console.log(`setup: apt-get install failed:\n${again.output.trim().split('\n').slice(-3).join('\n')}`)
}

function run(command, args, env = process.env) {
  const result = spawnSync(command, args, { cwd: ROOT, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (result.error) return { status: 1, output: `${command}: ${result.error.message}` }
  return { status: result.status ?? 1, output: `${result.stdout}${result.stderr}` }
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => isExecutable(join(directory, program)))
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    // Not there, or not ours to run: the same for this question.
    return false
  }
}

function stop(what, output, status) {
  if (output) console.error(output.trimEnd())
  console.error(`setup: ${what}`)
  process.exit(status || 1)
}
