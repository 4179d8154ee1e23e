// Unreadable files are listed, never silently skipped.

export function DamagedFiles({ files }: { files: readonly string[] }) {
  if (files.length === 0) return null
  return (
    <div role="alert" className="rounded-md border border-bad bg-bad-soft px-4 py-3 text-sm text-bad">
      <div className="font-medium">{files.length === 1 ? 'A file' : `${files.length} files`} could not be read</div>
      <ul className="mt-1 font-mono text-xs">
        {files.map((file) => (
          <li key={file}>{file}</li>
        ))}
      </ul>
    </div>
  )
}
