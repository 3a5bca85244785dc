/** Why a server did not start, in one line that says what to do. */

/** Node's and SQLite's errors name what happened; people need to know what to change. */
export function inOneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port, address, path } = factsOf(error)
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken. Stop what runs there, or choose another: PORT=${Number(port) + 1} npm start`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${address ?? 'like that'}. Set HOST to one it has, or leave it out.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      if (port) return `Port ${port} needs more rights than this user has. Choose one above 1023: PORT=3000 npm start`
      return `No right to write ${path}. Change its owner, or point DB_PATH somewhere else.`
    case 'ENOTDIR':
    case 'EEXIST':
      return `Cannot make the folder for the database: ${path} is in the way. Point DB_PATH somewhere else.`
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
    case 'SQLITE_READONLY_DIRECTORY':
      return 'The database file cannot be written. Check its owner and rights, or point DB_PATH somewhere else.'
    case 'SQLITE_FULL':
    case 'SQLITE_IOERR_SHMSIZE':
      return 'The disk of the database file is full. Free some space, then start again.'
    case 'SQLITE_BUSY':
      return 'Another process holds the database file; try again when it is done.'
    case 'SQLITE_CORRUPT':
      return 'The database file is damaged. Restore a backup (docs/operations.md), or point DB_PATH at another file.'
    case 'SQLITE_NOTADB':
      return 'The database file is not a SQLite database. Point DB_PATH at another file.'
    default:
      return error.message
  }
}

interface Facts {
  readonly code?: unknown
  readonly port?: unknown
  readonly address?: unknown
  readonly path?: unknown
}

function factsOf(error: Error & Facts): Facts {
  // The first files touched are the write-ahead log and the lock beside the database.
  return { ...error, path: typeof error.path === 'string' ? error.path.replace(/(-wal|\.lock)$/, '') : undefined }
}
