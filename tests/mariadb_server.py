"""A MariaDB server of our own for one test module, from Debian's packages, in a folder that goes away."""

from __future__ import annotations

import getpass
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pymysql
from debian import program


@contextmanager
def mariadb() -> Iterator[str]:
    """Yield the SQLAlchemy address of an empty database; skip the test where there is no server to be had."""
    server = program("mariadbd", "mysqld", package="mariadb-server")
    install = program("mariadb-install-db", "mysql_install_db", package="mariadb-server")
    folder = Path(tempfile.mkdtemp(prefix="mdb", dir="/tmp"))  # a socket's path is short
    data, socket = folder / "data", folder / "s"
    made = [
        install,
        "--no-defaults",
        f"--datadir={data}",
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        f"--user={getpass.getuser()}",
    ]
    subprocess.run(made, check=True, capture_output=True, timeout=600)
    running = subprocess.Popen(
        [
            server,
            "--no-defaults",
            f"--datadir={data}",
            f"--socket={socket}",
            "--skip-networking",
            f"--user={getpass.getuser()}",
            f"--pid-file={folder / 'pid'}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(300):
            if not socket.exists():
                time.sleep(0.1)
                continue
            try:
                with pymysql.connect(unix_socket=str(socket), user="root") as connection, connection.cursor() as cursor:
                    cursor.execute("CREATE DATABASE bot CHARACTER SET utf8mb4")
                break
            except pymysql.err.OperationalError:
                time.sleep(0.1)
        yield f"mysql+pymysql://root@localhost/bot?unix_socket={socket}&charset=utf8mb4"
    finally:
        running.terminate()
        running.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
