// The server of a report page: its responses, and who can connect.
#include "../report/page_server.hpp"
#include "../../../core/error.hpp"
#include "../../../core/system/signals.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/suite.hpp"
#include "../../../tests/shared/support.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(page_server)

namespace {

/// A client of the server. Calls fail after a minute without an answer.
class Client {
 public:
  explicit Client(int port, in_addr_t to = INADDR_LOOPBACK)
      : file_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval longest{60, 0};
    for (const int which : {SO_RCVTIMEO, SO_SNDTIMEO})
      ::setsockopt(file_, SOL_SOCKET, which, &longest, sizeof longest);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(to);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    connected = ::connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(file_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Returns whether all of the text was sent.
  bool send(const std::string& text) const {
    const ssize_t sent = ::send(file_, text.data(), text.size(), MSG_NOSIGNAL);
    return sent == static_cast<ssize_t>(text.size());
  }
  std::string read() const {
    std::string all(1 << 12, '\0'), text;
    errno = 0;
    for (ssize_t n = 0; (n = ::recv(file_, all.data(), all.size(), 0)) > 0;)
      text.append(all.data(), static_cast<std::size_t>(n));
    BOOST_TEST((errno != EAGAIN), "the server neither answers nor closes the connection");
    return text;
  }
  bool connected = false;

 private:
  const int file_;
};

const std::string get = "GET / HTTP/1.1\r\nHost: localhost:8000\r\n\r\n";

std::string status_of(const std::string& request) {
  const auto answer = http_response(request, "page");
  return answer ? answer->substr(9, answer->find("\r\n") - 9) : "incomplete";
}

}  // namespace

BOOST_AUTO_TEST_CASE(answers_requests_for_its_one_page) {
  const std::string host = " HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
  BOOST_TEST(status_of(get) == "200 OK");
  BOOST_TEST(status_of("GET /?a" + host) == "200 OK");
  BOOST_TEST(has(*http_response("GET /" + host, "page"), "Content-Length: 4\r\n"));
  BOOST_TEST(has(*http_response("GET /" + host, "page"), "\r\n\r\npage"));
  BOOST_TEST(!has(*http_response("HEAD /" + host, "page"), "page"));
  BOOST_TEST(status_of("GET /config.toml" + host) == "404 Not Found");
  BOOST_TEST(status_of("GET /../secret" + host) == "404 Not Found");
  BOOST_TEST(status_of("POST /" + host) == "405 Method Not Allowed");
  BOOST_TEST(status_of("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n") == "403 Forbidden");
  BOOST_TEST(status_of("GET / HTTP/1.1\r\n\r\n") == "403 Forbidden");
  for (const char* wrong : {"\r\n\r\n", "GET /\r\n\r\n", "a b c\r\n\r\n"})
    BOOST_TEST(status_of(wrong) == "400 Bad Request", wrong);
  BOOST_TEST(status_of(get.substr(0, get.size() - 1)) == "incomplete");
}

BOOST_AUTO_TEST_CASE(serves_the_newest_page_to_this_machine) {
  const WriteSignalGuard closed(WriteSignalGuard::To::pipe);
  PageServer server(0);
  const std::string large(1 << 21, 'x');
  for (const std::string& page : {std::string("first"), large}) {
    server.show(page);
    const Client client(server.port());
    client.send(get);
    const std::string answer = client.read();
    BOOST_TEST(has(answer, "200 OK"));
    BOOST_TEST(answer.size() > page.size());
    BOOST_TEST(answer.substr(answer.size() - page.size()) == page);
  }
  // 127.0.0.2 is another address of this machine.
  BOOST_TEST(!Client(server.port(), INADDR_LOOPBACK + 1).connected);
}

BOOST_AUTO_TEST_CASE(slow_and_broken_clients_keep_nobody_waiting) {
  const WriteSignalGuard closed(WriteSignalGuard::To::pipe);
  PageServer server(0);
  server.show("page");
  const Client silent(server.port()), slow(server.port());
  slow.send("GET / HT");
  {
    const Client gone(server.port());
    gone.send(get);
  }
  const Client endless(server.port());
  int sent = 0;  // more than fits in the buffers of two sockets
  while (sent < 512 && endless.send(std::string(1 << 16, 'a'))) ++sent;
  BOOST_TEST(sent < 512);  // the server has closed the connection
  BOOST_TEST(endless.read() == "");
  const Client good(server.port());
  good.send(get);
  BOOST_TEST(has(good.read(), "\r\n\r\npage"));
  slow.send("TP/1.1\r\nHost: localhost\r\n\r\n");
  BOOST_TEST(has(slow.read(), "\r\n\r\npage"));
}

BOOST_AUTO_TEST_CASE(says_that_a_port_is_in_use) {
  const PageServer server(0);
  expect_error<UsageError>(
      [&] { PageServer(server.port()); },
      fmt::format("--serve {}: Address already in use; choose another port, or 0 for any free port",
                  server.port()));
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_port) {
  for (const std::string port : {"-1", "65536", "http", ""}) {
    const Output output = command({"report", "run", "--serve=" + port});
    BOOST_TEST(output.status == 2);
    BOOST_TEST(output.errors ==
               "tapehead: --serve: expected a port from 0 to 65535, got '" + port + "'\n");
  }
}

BOOST_AUTO_TEST_SUITE_END()
