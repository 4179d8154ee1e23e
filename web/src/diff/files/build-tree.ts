// The files of a diff as folders, in the order of the diff. A folder with nothing but one folder in it is joined with it.
// Pure.

export interface TreeFolder<F> {
  kind: 'folder'
  /** As shown: `src/git` where `src` has nothing else. */
  name: string
  path: string
  children: ReadonlyArray<TreeFolder<F> | TreeFile<F>>
}

export interface TreeFile<F> {
  kind: 'file'
  name: string
  file: F
}

type Node<F> = { name: string; path: string; children: Map<string, Node<F> | TreeFile<F>> }

export function buildTree<F extends { path: string }>(files: readonly F[]): TreeFolder<F>['children'] {
  const root: Node<F> = { name: '', path: '', children: new Map() }
  for (const file of files) {
    const parts = file.path.split('/')
    const name = parts.pop()!
    let folder = root
    for (const part of parts) folder = folderIn(folder, part)
    // Two files of one path: a symbolic link that became a file, for example.
    folder.children.set(`${name}\0${folder.children.size}`, { kind: 'file', name, file })
  }
  return joined(root).children
}

function folderIn<F>(parent: Node<F>, name: string): Node<F> {
  const existing = parent.children.get(name)
  if (existing && !('kind' in existing)) return existing
  const path = parent.path === '' ? name : `${parent.path}/${name}`
  const folder: Node<F> = { name, path, children: new Map() }
  parent.children.set(name, folder)
  return folder
}

function joined<F>({ name, path, children }: Node<F>): TreeFolder<F> {
  const all = [...children.values()].map((child) => ('kind' in child ? child : joined(child)))
  const [only] = all
  if (name !== '' && all.length === 1 && only?.kind === 'folder') return { ...only, name: `${name}/${only.name}` }
  return { kind: 'folder', name, path, children: all }
}
